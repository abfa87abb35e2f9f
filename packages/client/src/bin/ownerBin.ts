/** What the owner has discarded or deleted: its names, and the way back. */
import type { BinId } from '@blindkeep/protocol/ids'
import type { OperationName } from '@blindkeep/protocol/operations'
import type { BinEntryResponse } from '@blindkeep/protocol/schemas/bin'
import { type AssetFacts, factsOf } from '../assets/assetFacts.ts'
import type { AssetPorts } from '../assets/assetPorts.ts'
import { describeWith } from '../assets/describeAsset.ts'
import type { KnownDevices } from '../assets/knownDevices.ts'
import { type DropFacts, dropFactsOf, openDropPrefix } from '../drops/inboxDrop.ts'
import type { Call } from '../http/call.ts'
import type { AnyRequest, CallAnswer, CallRequest } from '../http/callTypes.ts'
import { AnswerError } from '../http/errors.ts'
import { type List, type ListOptions, listPages } from '../http/listPages.ts'
import { descriptionOf, type FileDescription } from '../seal/fileHeader.ts'

/** As the server says it, unverified. Exactly one of `drop` and `asset` is there. */
export interface BinEntry {
  /** That of the drop or the asset. */
  readonly id: BinId
  /** Bytes that it takes up, sealed. */
  readonly sealedBytes: number
  /** RFC 3339. */
  readonly deletedAt: string
  /** RFC 3339: it can be restored until then. */
  readonly emptiesAt: string
  readonly drop: DropFacts | undefined
  readonly asset: AssetFacts | undefined
}

/** `fault`: why its name could not be read. It can be restored all the same. */
export type BinItem = BinEntry &
  (
    | { readonly file: FileDescription; readonly fault?: undefined }
    | { readonly file?: undefined; readonly fault: unknown }
  )

export interface OwnerBin {
  /** What is in the bin, without names, in pages, oldest first by default. Each comes once. */
  bin(options?: ListOptions): AsyncGenerator<readonly BinEntry[], void, void>
  /** Reads the name of what is in the bin. Rejects only with the signal's reason. */
  describeBinEntry(entry: BinEntry, options?: { readonly signal?: AbortSignal | undefined }): Promise<BinItem>
  /**
   * Undoes a discard or a deletion, by the id of the drop or the asset; again with the same answer. An album that was
   * deleted comes back with its file. Throws what a call throws: `error.bin.not_found` when it is too late,
   * `error.drop.inbox_full`, `error.request.limit_reached` at the largest number of albums.
   */
  restore(id: string): Promise<void>
  /** Frees the space of one entry at once. No error if it is not in the bin. */
  endBinEntry(id: string): Promise<void>
  /** Frees the space of all that is in the bin when the request comes. */
  emptyBin(): Promise<void>
}

export function createOwnerBin(ports: AssetPorts, known: KnownDevices): OwnerBin {
  const { call, keysOf } = ports

  async function fileOf(entry: BinEntry, signal: AbortSignal | undefined): Promise<FileDescription> {
    const { drop, asset } = entry
    const inBin = { ...ports, call: callInBin(call, entry) }
    if (asset !== undefined)
      return known.using((devices) => describeWith({ ...inBin, devices }, asset, { allowRevokedDevice: true, signal }))
    if (drop === undefined) throw new AnswerError('listBin', 'an entry is neither a drop nor an asset')
    const { header } = await openDropPrefix({ call: inBin.call, keysOf }, drop, signal)
    return descriptionOf(header)
  }

  return {
    async *bin(options) {
      for await (const page of listPages(binList(call), options)) yield page.map(entryOf)
    },

    async describeBinEntry(entry, { signal } = {}) {
      try {
        return { ...entry, file: await fileOf(entry, signal) }
      } catch (fault) {
        signal?.throwIfAborted()
        return { ...entry, fault }
      }
    },

    async restore(id) {
      await call('restoreBinEntry', { path: { bin_id: id } })
    },

    async endBinEntry(id) {
      await call('endBinEntry', { path: { bin_id: id } })
    },

    async emptyBin() {
      await call('emptyBin')
    },
  }
}

const binList = (call: Call): List<BinEntryResponse> => ({
  operation: 'listBin',
  ask: async (request) => (await call('listBin', request)).body.entries,
  idOf: ({ bin_id }) => bin_id,
  gone: 'error.bin.not_found',
})

function entryOf({ bin_id: id, size, deleted_at, empties_at, drop, asset }: BinEntryResponse): BinEntry {
  return {
    id,
    sealedBytes: size,
    deletedAt: deleted_at,
    emptiesAt: empties_at,
    drop: drop ? dropFactsOf(drop) : undefined,
    asset: asset ? factsOf(asset) : undefined,
  }
}

/** Its contents are in the bin, and nowhere else. */
function callInBin(call: Call, { id, drop }: BinEntry): Call {
  async function inBin<Name extends OperationName>(name: Name, request?: CallRequest<Name>): Promise<CallAnswer<Name>>
  async function inBin(name: OperationName, request: AnyRequest = {}): Promise<unknown> {
    const hash = name === 'blob' ? request.path?.hash : name === 'dropContent' ? drop?.ciphertextHash : undefined
    if (hash === undefined) throw new Error(`${name} has no content in the bin`)
    return call('binContent', { ...request, path: { bin_id: id, hash } })
  }
  return inBin
}
