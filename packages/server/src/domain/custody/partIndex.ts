import type { UploadId } from '@blindkeep/protocol/ids'
import type { PartIndex, PlacedPart } from '../../ports/parts.ts'
import type { Store } from '../../ports/store.ts'
import { uploadIdOf } from '../ground/location.ts'

type PartsOfUploads = ReadonlyMap<UploadId, readonly PlacedPart[]>

/** Where objects lie. Questions of one turn share a transaction: a verification asks for thousands. */
export function createPartIndex({ read }: Pick<Store, 'read'>): PartIndex {
  let asked = new Set<UploadId>()
  let answered: Promise<PartsOfUploads> | undefined

  async function readAsked(): Promise<PartsOfUploads> {
    await new Promise(setImmediate)
    const uploadIds = [...asked]
    asked = new Set()
    answered = undefined
    return read(async (tx) => {
      const parts = await Promise.all(uploadIds.map((uploadId) => tx.parts.keptOf(uploadId)))
      return new Map(uploadIds.map((uploadId, at) => [uploadId, parts[at] ?? []]))
    })
  }

  return {
    async partsOf(location) {
      const uploadId = uploadIdOf(location)
      if (uploadId === undefined) return []
      asked.add(uploadId)
      answered ??= readAsked()
      return (await answered).get(uploadId) ?? []
    },
  }
}
