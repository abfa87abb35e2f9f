/** Which files fit into what a link still takes. The server decides in the end: other guests send files, too. */
import type { HeldBack } from '@blindkeep/protocol/schemas/links'
import type { LinkLimits } from './guest.ts'
import { usualSealedBytes } from './seal/sizes.ts'

export type Room = Partial<Pick<LinkLimits, 'sealedBytesMax' | 'remainingBytes' | 'remainingFiles' | 'inboxFull'>>

/** `no_room`: the link's total or its owner's storage has too few bytes left. The server does not say which. */
export type Misfit = HeldBack

/** The part of the room that other files use. */
export interface Used {
  readonly files: number
  /** Sealed bytes. */
  readonly bytes: number
}

/**
 * Judges the files in their order. One that does not fit uses up nothing, so a smaller one after it can fit. The answer
 * has all files, with undefined for one that fits.
 */
export function misfitsOf<File extends { readonly size: number }>(
  files: Iterable<File>,
  room: Room,
  used: Used = { files: 0, bytes: 0 },
): ReadonlyMap<File, Misfit | undefined> {
  const { sealedBytesMax = Infinity, remainingFiles = Infinity, remainingBytes = Infinity, inboxFull = false } = room
  const verdicts = new Map<File, Misfit | undefined>()
  let { files: count, bytes } = used
  const misfitOf = (size: number): Misfit | undefined => {
    if (count >= remainingFiles) return 'too_many'
    if (inboxFull) return 'inbox_full'
    const sealed = usualSealedBytes(size)
    if (sealed > sealedBytesMax) return 'too_large'
    return bytes + sealed > remainingBytes ? 'no_room' : undefined
  }
  for (const file of files) {
    const misfit = misfitOf(file.size)
    verdicts.set(file, misfit)
    if (misfit !== undefined) continue
    count++
    bytes += usualSealedBytes(file.size)
  }
  return verdicts
}
