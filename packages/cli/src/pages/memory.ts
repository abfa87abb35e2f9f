/**
 * What a local page remembers from one start of the program to the next, kept in the profile: without it a server that
 * lies could take back what the page of yesterday has seen. The keys of the server and revoked devices are those that
 * the commands know.
 */
import { type PinnedKeys, parsePins } from '@blindkeep/client/receipts'
import { type DeviceId, parseDeviceId } from '@blindkeep/protocol/ids'
import { isCount, isObject } from '@blindkeep/protocol/json'
import type { Profile } from '../account/profile.ts'
import type { Reading } from '../home/damaged.ts'
import { pin, pinsOf } from '../home/pins.ts'

export interface Memory {
  /** The present one. */
  read(): Promise<Remembered>
  /** Keeps what a page has seen. False if another page has written since `version` was read: read again. */
  write(seen: SeenByPage): Promise<boolean>
}

export interface Remembered {
  /** Counts the writings of `seen`. */
  readonly version: number
  /** The page's own record, which means nothing to the program. */
  readonly seen: object | null
  readonly revoked: readonly (readonly [DeviceId, string])[]
  readonly pins: PinnedKeys | null
}

/** What is absent stays. */
export interface SeenByPage {
  readonly version: number
  readonly seen?: object | undefined
  readonly revoked?: readonly (readonly [DeviceId, string])[] | undefined
  readonly pins?: PinnedKeys | undefined
}

interface Kept {
  readonly version: number
  readonly accountId: string
  readonly seen: object
}

/** Survives a sign-out, as revocations do. */
const NAME = 'seen-by-pages'
const READING: Reading<readonly Kept[]> = {
  is: (json): json is readonly Kept[] =>
    Array.isArray(json) &&
    json.every((kept) => isCount(kept?.version) && typeof kept.accountId === 'string' && isObject(kept.seen)),
  says: 'what local pages have seen of your account',
  without: 'to believe what the server says now',
}
/** Of one profile; the oldest gives way. */
const MAX_ACCOUNTS = 20

interface MemoryOf {
  readonly profile: Profile
  readonly accountId: string
  /** The server's origin. */
  readonly serverId: string
}

export function memoryOf({ profile, accountId, serverId }: MemoryOf): Memory {
  const { vault, alone, home, revocations } = profile
  const all = async () => (await vault.read(NAME, READING)) ?? []
  const own = (kept: readonly Kept[]) => kept.find((each) => each.accountId === accountId)

  return {
    async read() {
      const [kept, revoked, pins] = [own(await all()), await revocations.load(), await pinsOf(home, serverId)]
      return { version: kept?.version ?? 0, seen: kept?.seen ?? null, revoked: [...revoked], pins: pins ?? null }
    },
    async write({ version, seen, revoked, pins }) {
      if (pins !== undefined) await pin(home, pins)
      if (revoked !== undefined) await revocations.save(new Map(revoked))
      if (seen === undefined) return true
      return await alone(async () => {
        const kept = await all()
        if ((own(kept)?.version ?? 0) !== version) return false
        const others = kept.filter((each) => each.accountId !== accountId)
        await vault.write(NAME, [...others, { version: version + 1, accountId, seen }].slice(-MAX_ACCOUNTS))
        return true
      })
    },
  }
}

/** Undefined for anything but what a page writes. `serverId`: pins of another server are refused. */
export function seenByPage(json: unknown, serverId: string): SeenByPage | undefined {
  if (!isObject(json) || !isCount(json.version)) return undefined
  const { version, seen, revoked, pins } = json
  const revocations = revoked === undefined ? undefined : revocationsIn(revoked)
  const keys = pins === undefined ? undefined : pinsIn(pins, serverId)
  if ((revoked !== undefined && !revocations) || (pins !== undefined && !keys)) return undefined
  if (seen !== undefined && !isObject(seen)) return undefined
  return { version, seen, revoked: revocations, pins: keys }
}

function revocationsIn(json: unknown): readonly (readonly [DeviceId, string])[] | undefined {
  if (!Array.isArray(json)) return undefined
  const revoked = json.flatMap((each: unknown) => {
    const [id, at]: unknown[] = Array.isArray(each) ? each : []
    const deviceId = typeof id === 'string' ? parseDeviceId(id) : undefined
    return deviceId !== undefined && typeof at === 'string' ? [[deviceId, at] as const] : []
  })
  return revoked.length === json.length ? revoked : undefined
}

function pinsIn(json: unknown, serverId: string): PinnedKeys | undefined {
  try {
    const pins = parsePins(json)
    return pins.serverId === serverId && pins.movedTo === undefined ? pins : undefined
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
