import type { PartIndex } from '../../ports/parts.ts'
import type { Store } from '../../ports/store.ts'
import { uploadIdOf } from '../uploads/location.ts'

/** Where objects lie, as the store of rows knows it. */
export function createPartIndex({ read }: Pick<Store, 'read'>): PartIndex {
  return {
    async partsOf(location) {
      const uploadId = uploadIdOf(location)
      return uploadId === undefined ? [] : read((tx) => tx.parts.keptOf(uploadId))
    },
  }
}
