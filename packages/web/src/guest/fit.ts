/** Which of the chosen files the link has room for, told before anything is sent. The server decides in the end; it counts what others send meanwhile. */
import { usualSealedBytes } from '@blindkeep/client/sizes'
import type { Limits } from './messages.ts'

export type Misfit = 'too_large' | 'too_many' | 'no_room'

/** What is taken of the limits already. */
export interface Taken {
  readonly files: number
  /** Sealed bytes. */
  readonly bytes: number
}

interface Fitting {
  readonly id: string
  /** Bytes of the file. */
  readonly size: number
}

/** In order: a file that does not fit takes no room, so that a smaller one after it may have it. Undefined for one that fits. */
export function fitting(
  files: Iterable<Fitting>,
  limits: Limits,
  taken: Taken,
): ReadonlyMap<string, Misfit | undefined> {
  const filesMax = limits.remainingFiles ?? Number.POSITIVE_INFINITY
  const bytesMax = limits.remainingBytes ?? Number.POSITIVE_INFINITY
  const verdicts = new Map<string, Misfit | undefined>()
  let { files: count, bytes } = taken
  for (const { id, size } of files) {
    const sealed = usualSealedBytes(size)
    const misfit = misfitOf({ size, limits, isOneTooMany: count + 1 > filesMax, isTooMuch: bytes + sealed > bytesMax })
    verdicts.set(id, misfit)
    if (misfit !== undefined) continue
    count++
    bytes += sealed
  }
  return verdicts
}

interface Judged {
  readonly size: number
  readonly limits: Limits
  readonly isOneTooMany: boolean
  readonly isTooMuch: boolean
}

function misfitOf({ size, limits, isOneTooMany, isTooMuch }: Judged): Misfit | undefined {
  if (isOneTooMany) return 'too_many'
  if (size > (limits.fileBytesMax ?? Number.POSITIVE_INFINITY)) return 'too_large'
  return isTooMuch ? 'no_room' : undefined
}
