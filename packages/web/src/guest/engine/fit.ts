/** Which of the chosen files fit into the link's limits. The server decides in the end: other guests send files too. */
import { usualSealedBytes } from '@blindkeep/client/sizes'
import type { Limits } from '../messages.ts'

export type Misfit = 'too_large' | 'too_many' | 'only_one' | 'no_room'

/** The part of the limits that other files of this visit use. */
export interface Used {
  readonly files: number
  /** Sealed bytes. */
  readonly bytes: number
}

interface SizedFile {
  readonly id: string
  /** Bytes of the file. */
  readonly size: number
}

/** Judges the files in order. A file that does not fit uses up nothing, so a smaller one after it can fit. Undefined for a file that fits. */
export function misfitsOf(
  files: Iterable<SizedFile>,
  limits: Limits,
  used: Used,
): ReadonlyMap<string, Misfit | undefined> {
  const filesMax = limits.remainingFiles ?? Number.POSITIVE_INFINITY
  const bytesMax = limits.remainingBytes ?? Number.POSITIVE_INFINITY
  const verdicts = new Map<string, Misfit | undefined>()
  let { files: count, bytes } = used
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
  if (isOneTooMany) return limits.singleUse === true ? 'only_one' : 'too_many'
  if (size > (limits.fileBytesMax ?? Number.POSITIVE_INFINITY)) return 'too_large'
  return isTooMuch ? 'no_room' : undefined
}
