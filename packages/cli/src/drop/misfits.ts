import { type Misfit, misfitsOf, type Room } from '@blindkeep/client/fit'
import { largestPlaintext } from '@blindkeep/client/sizes'
import { sizeText } from '@blindkeep/protocol/byteSizes'
import { countText } from '@blindkeep/protocol/counts'
import { EXIT } from '../ground/exits.ts'
import type { Failure } from '../outcomes/failures.ts'

/** Of the person who made the link. */
export const INBOX_FULL = 'The inbox behind the link is full: too many files wait there.'

/** The files that do not fit into what the link still takes, with what to do. */
export function misfits<File extends { readonly size: number }>(
  room: Room,
  files: readonly File[],
): ReadonlyMap<File, Failure> {
  const found = new Map<File, Failure>()
  for (const [file, reason] of misfitsOf(files, room)) {
    if (reason === undefined) continue
    const message = `${messages[reason](sizeText(file.size), room)} ${ADVICE[reason]}`
    found.set(file, { reason, message, exit: EXIT.failed })
  }
  return found
}

const messages: Readonly<Record<Misfit, (size: string, room: Room) => string>> = {
  too_large: (size, { sealedBytesMax = 0 }) =>
    `${size} are more than the link takes, ${sizeText(largestPlaintext(sealedBytesMax) ?? 0)} a file.`,
  too_many: (_, { remainingFiles = 0 }) =>
    remainingFiles === 0
      ? 'The link takes no more files.'
      : `The link takes only ${countText(remainingFiles, 'more file')}.`,
  no_room: (size, { remainingBytes = 0 }) =>
    `There is no room for ${size} now: the link, or the storage of its owner, has ${sizeText(remainingBytes)} left for all files.`,
  inbox_full: () => INBOX_FULL,
}

const ADVICE: Readonly<Record<Misfit, string>> = {
  too_large: 'Ask the owner for another link.',
  too_many: 'Ask the owner for another link.',
  no_room: 'Tell the owner.',
  inbox_full: 'Tell the owner.',
}
