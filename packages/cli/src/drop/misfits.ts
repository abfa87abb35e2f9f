import type { LinkLimits } from '@blindkeep/client/guest'
import { sizeText } from '@blindkeep/protocol/byteSizes'
import type { ChosenFile } from '../send/files.ts'

/** The files that the link cannot take, with what to do. The others are taken in their order, as long as there is room; the server decides in the end. */
export function misfits(
  { fileBytesMax }: Pick<LinkLimits, 'fileBytesMax'>,
  files: readonly ChosenFile[],
): ReadonlyMap<ChosenFile, string> {
  if (fileBytesMax === undefined) return new Map()
  return new Map(
    files
      .filter(({ size }) => size > fileBytesMax)
      .map((file) => [
        file,
        `${sizeText(file.size)} are more than the link takes, ${sizeText(fileBytesMax)} a file. Ask the owner for another link.`,
      ]),
  )
}
