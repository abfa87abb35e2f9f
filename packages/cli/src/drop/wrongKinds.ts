import { open } from 'node:fs/promises'
import { FILE_KIND_BYTES, fileKindFault } from '@blindkeep/client/questions'
import { EXIT } from '../ground/exits.ts'
import type { Failure } from '../outcomes/failures.ts'
import type { ChosenFile } from '../send/files.ts'

/** The files that the owner of the link does not want, by the ending of the name and by how they begin. */
export async function wrongKinds(
  kinds: readonly string[] | undefined,
  files: readonly ChosenFile[],
): Promise<ReadonlyMap<ChosenFile, Failure>> {
  const found = new Map<ChosenFile, Failure>()
  if (kinds === undefined) return found
  for (const file of files) {
    const fault = fileKindFault(kinds, file.name, undefined) ?? fileKindFault(kinds, file.name, await firstBytes(file))
    if (fault === undefined) continue
    const why = fault === 'ending' ? 'It is of another kind' : 'It does not begin as a file with this ending does'
    const message = `${why}. The owner of the link wants ${kinds.join(', ')}. Nothing of it was sent.`
    found.set(file, { reason: `wrong_${fault}`, message, exit: EXIT.failed })
  }
  return found
}

/** Undefined for what cannot be read: it fails when it is its turn. */
async function firstBytes({ place }: ChosenFile): Promise<Uint8Array | undefined> {
  const handle = await open(place).catch(() => undefined)
  try {
    const read = await handle?.read(new Uint8Array(FILE_KIND_BYTES), 0, FILE_KIND_BYTES, 0).catch(() => undefined)
    return read?.buffer.subarray(0, read.bytesRead)
  } finally {
    await handle?.close()
  }
}
