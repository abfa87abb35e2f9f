import { StorageUnavailable } from '../ground/storageErrors.ts'
import type { Store } from '../ports/store.ts'
import type { Bytes, WorldOptions } from './world.ts'

/** Faults around real adapters: a call fails before it did anything, or after it did everything. */
export type Call =
  | 'storeRead'
  | 'storeWrite'
  | 'blobWrite'
  | 'settle'
  | 'size'
  | 'blobRead'
  | 'digest'
  | 'remove'
  | 'check'

export interface Fault {
  /** How many calls fail; all when left out. */
  readonly times?: number
  /** How many calls succeed before. */
  readonly after?: number
  /** Whether the call does its work before it fails. */
  readonly isApplied?: boolean
  readonly error?: Error
  /** Only calls of the blob store for this location. */
  readonly location?: string
}

export interface Faults {
  arm(call: Call, fault?: Fault): void
  disarm(): void
  readonly around: NonNullable<WorldOptions['around']>
}

export function createFaults(): Faults {
  const armed = new Map<Call, Fault & { left: number; skip: number }>()

  async function meet<Result>(call: Call, work: () => Promise<Result>, location?: string): Promise<Result> {
    const fault = armed.get(call)
    const isMeant = fault !== undefined && (fault.location === undefined || fault.location === location)
    if (!isMeant || fault.left <= 0) return work()
    if (fault.skip > 0) {
      fault.skip -= 1
      return work()
    }
    fault.left -= 1
    if (fault.isApplied === true) await work()
    throw fault.error ?? new StorageUnavailable('a test broke it')
  }

  return {
    arm(call, fault = {}) {
      armed.set(call, { ...fault, left: fault.times ?? Number.POSITIVE_INFINITY, skip: fault.after ?? 0 })
    },
    disarm: () => armed.clear(),
    around: {
      store: (real: Store): Store => ({
        ...real,
        read: (work) => meet('storeRead', () => real.read(work)),
        ask: (work) => meet('storeRead', () => real.ask(work)),
        // A question that met a fault is asked again.
        look: async () => undefined,
        write: (locks, work) => meet('storeWrite', () => real.write(locks, work)),
      }),
      blobs: (real: Bytes): Bytes => ({
        ...real,
        write: (place, request) => meet('blobWrite', () => real.write(place, request), place.location),
        settle: (location, size) => meet('settle', () => real.settle(location, size), location),
        size: (location) => meet('size', () => real.size(location), location),
        async *read(location, range, options) {
          await meet('blobRead', async () => undefined, location)
          yield* real.read(location, range, options)
        },
        digest: (location, size, signal) => meet('digest', () => real.digest(location, size, signal), location),
        remove: (location) => meet('remove', () => real.remove(location), location),
        check: () => meet('check', () => real.check()),
      }),
    },
  }
}

/** `passed` resolves once a test calls `open`. */
export function createGate(): { readonly passed: Promise<void>; open(): void } {
  const { promise: passed, resolve: open } = Promise.withResolvers<void>()
  return { passed, open }
}
