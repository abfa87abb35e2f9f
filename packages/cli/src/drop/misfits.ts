import { type Misfit, misfitsOf, type Room } from '@blindkeep/client/fit'
import { sizeText } from '@blindkeep/protocol/byteSizes'
import { countText } from '@blindkeep/protocol/counts'
import { EXIT } from '../exits.ts'
import type { Failure } from '../failures.ts'

/** The files that do not fit into what the link still takes, with what to do. */
export function misfits<File extends { readonly size: number }>(
  room: Room,
  files: readonly File[],
): ReadonlyMap<File, Failure> {
  const found = new Map<File, Failure>()
  for (const [file, reason] of misfitsOf(files, room)) {
    if (reason === undefined) continue
    const message = `${messages[reason](sizeText(file.size), room)} Ask the owner for another link.`
    found.set(file, { reason, message, exit: EXIT.failed })
  }
  return found
}

const messages: Readonly<Record<Misfit, (size: string, room: Room) => string>> = {
  too_large: (size, { fileBytesMax = 0 }) => `${size} are more than the link takes, ${sizeText(fileBytesMax)} a file.`,
  too_many: (_, { remainingFiles = 0 }) =>
    remainingFiles === 0
      ? 'The link takes no more files.'
      : `The link takes only ${countText(remainingFiles, 'more file')}.`,
  no_room: (size, { remainingBytes = 0 }) =>
    `${size} do not fit beside the files before it: the link takes only ${sizeText(remainingBytes)} more.`,
}
