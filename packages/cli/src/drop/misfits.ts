import type { LinkLimits } from '@blindkeep/client/guest'
import { usualSealedBytes } from '@blindkeep/client/sizes'
import { sizeText } from '@blindkeep/protocol/byteSizes'
import { countText } from '@blindkeep/protocol/counts'
import { EXIT } from '../exits.ts'
import type { Failure } from '../failures.ts'
import type { ChosenFile } from '../send/files.ts'

type Room = Partial<Pick<LinkLimits, 'fileBytesMax' | 'remainingBytes' | 'remainingFiles'>>

const OTHER_LINK = 'Ask the owner for another link.'

/**
 * The files that do not fit into what the link still takes, judged in their order, with what to do. One that does not fit uses up nothing, so a smaller
 * one after it can fit. The server decides in the end: other guests send files, too.
 */
export function misfits(room: Room, files: readonly ChosenFile[]): ReadonlyMap<ChosenFile, Failure> {
  const { fileBytesMax = Infinity, remainingFiles = Infinity, remainingBytes = Infinity } = room
  const found = new Map<ChosenFile, Failure>()
  const misfit = (file: ChosenFile, reason: string, message: string) =>
    found.set(file, { reason, message: `${message} ${OTHER_LINK}`, exit: EXIT.failed })
  let [count, bytes] = [0, 0]
  for (const file of files) {
    const [size, sealed] = [sizeText(file.size), usualSealedBytes(file.size)]
    if (file.size > fileBytesMax)
      misfit(file, 'too_large', `${size} are more than the link takes, ${sizeText(fileBytesMax)} a file.`)
    else if (count === remainingFiles)
      misfit(
        file,
        'too_many',
        remainingFiles === 0
          ? 'The link takes no more files.'
          : `The link takes only ${countText(remainingFiles, 'more file')}.`,
      )
    else if (bytes + sealed > remainingBytes)
      misfit(
        file,
        'no_room',
        `${size} do not fit beside the files before it: the link takes only ${sizeText(remainingBytes)} more.`,
      )
    else [count, bytes] = [count + 1, bytes + sealed]
  }
  return found
}
