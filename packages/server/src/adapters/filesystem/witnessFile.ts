import { open, readFile, rename } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { syncDirectory } from '../../ground/disk.ts'
import { formatWitness, parseWitness, type Witness } from '../../ports/witness.ts'
import { onStorage, unlessMissing } from './failure.ts'
import { createMarker } from './marker.ts'

const WITNESS = '.blindkeep-witness'

/** A file in the root of the blob directory. */
export function createWitnessFile(options: { readonly directory: string }): Witness {
  const root = resolve(options.directory)
  const path = join(root, WITNESS)
  const marker = createMarker(root)
  return {
    async read() {
      const text = await marker.confirm(() => onStorage(() => unlessMissing(() => readFile(path, 'utf8'))))
      return text === undefined ? undefined : parseWitness(text)
    },
    async write(head) {
      await marker.check()
      await onStorage(async () => {
        const file = await open(`${path}.new`, 'w', 0o600)
        try {
          await file.writeFile(formatWitness(head))
          await file.sync()
        } finally {
          await file.close()
        }
        await rename(`${path}.new`, path)
        await syncDirectory(root)
      })
    },
  }
}
