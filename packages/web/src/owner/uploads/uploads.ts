/** The upload queue of the signed-in owner. It continues while other pages are shown, until the tab closes. */

import type { Device } from '@blindkeep/client/device'
import { systemEnvironment } from '@blindkeep/client/environment'
import { chosenDateText } from '@blindkeep/client/fileDate'
import { createSendTurns, type Owner, type SendTurns, type UploadState } from '@blindkeep/client/owner'
import { sourceOfBlob } from '@blindkeep/client/source'
import type { AssetId } from '@blindkeep/protocol/ids'
import { useEffect, useState } from 'preact/hooks'
import { guardClosingWhile } from '../../common/work/closeGuard.ts'
import { addThumbnailOfUpload } from '../assets/thumbnails.ts'
import { useDevice } from '../browser/device.ts'
import { onOwnerLeave } from '../ground/ownerLeave.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { holdUploads, takeOverUploads } from './pageUploads.ts'
import { requireHeld } from './requireHeld.ts'
import { isTaken, noteAsset, releaseTaken, resumeTaken, type TakenUploads } from './takenUploads.ts'
import { isActive, mayBeFinished, type UploadItem, type UploadJob } from './uploadItem.ts'
import { createUploadQueue } from './uploadQueue.ts'
import { deleteUpload, storedUploads, storeUploads } from './uploadStore.ts'

interface Uploader {
  readonly owner: Owner
  readonly baseUrl: string
  readonly device: () => Promise<Device>
  /** Of the uploads of this page. */
  readonly turns: SendTurns
}

const startedUploads = new WeakMap<Owner, TakenUploads>()

interface Uploads extends TakenUploads {
  readonly items: readonly UploadItem[]
}

/** The queue and its current items. */
export function useUploads(): Uploads {
  const { owner, baseUrl } = useOwnerPages()
  const device = useDevice()
  const started = startedUploads.get(owner) ?? startUploads({ owner, baseUrl, device, turns: createSendTurns() })
  const { queue } = started
  const [items, setItems] = useState(queue.items())
  useEffect(() => {
    const read = () => setItems(queue.items())
    read()
    return queue.subscribe(read)
  }, [queue])
  return { ...started, items }
}

/** The connection is back: uploads that wait for their next try go on. */
export function wakeUploads(owner: Owner): void {
  startedUploads.get(owner)?.queue.wake()
}

function startUploads(uploader: Uploader): TakenUploads {
  const { owner, baseUrl } = uploader
  const of = { accountId: owner.accountId, baseUrl }
  const left = new AbortController()
  const page = { pageId: crypto.randomUUID(), left: left.signal }
  const queue = createUploadQueue<File>({
    send: (job) => send(uploader, job),
    compare: ({ file, onStep, ...job }) =>
      owner.requireSameFile({ ...job, source: sourceOfBlob(file), onProgress: onStep }),
    cancel: (state) => owner.cancelUpload(state),
    delete: (state) => deleteUnfinished(owner, state),
    release: (file) => releaseTaken(file).catch(() => undefined),
    // Uploading works in a browser that stores nothing; it only can't resume after a reload.
    store: (stored) => storeUploads(stored, { ...of, pageId: page.pageId }).catch(() => undefined),
    forget: (id) => deleteUpload(id).catch(() => undefined),
    isKept: isTaken,
    newId: () => crypto.randomUUID(),
    wait: systemEnvironment.wait,
  })
  const restore = async (assetId: AssetId) => {
    queue.restore((await storedUploads(of)).filter(({ state }) => state?.envelope.file_id === assetId))
  }
  const started = { queue, restore, signal: left.signal }
  startedUploads.set(owner, started)
  onOwnerLeave(owner, () => {
    queue.end()
    left.abort()
  })
  holdUploads(page)
    .then(() => takeOverUploads(of, page, queue.restore))
    .catch(() => undefined)
    .then(() => resumeTaken(started, of))
    .catch(() => undefined)
  guardClosingWhile(() => queue.items().some(isActive), queue.subscribe)
  return started
}

/** After the owner's cancel: also deletes a partly landed asset, which only this upload could complete. */
async function deleteUnfinished(owner: Owner, state: UploadState): Promise<void> {
  await owner.cancelUpload(state)
  if (mayBeFinished(state)) return
  const asset = await owner.asset(state.envelope.file_id)
  if (!mayBeFinished(state, asset)) await owner.deleteAsset(asset.assetId)
}

async function send({ owner, baseUrl, device, turns }: Uploader, job: UploadJob<File>): Promise<void> {
  const { file, albumId, signal, onState, onStep } = job
  const source = sourceOfBlob(file)
  const signer = await device()
  let { state } = job
  const isNew = state === undefined
  if (state === undefined) {
    state = await owner.prepareUpload({
      source,
      album: albumId,
      device: signer,
      name: file.name,
      type: file.type === '' ? undefined : file.type,
      // Another app does not say when its file was changed.
      modifiedAt: isTaken(file) ? undefined : chosenDateText(file),
      onProgress: onStep,
      signal,
    })
    await noteAsset(file, state)
    await onState(state)
  }
  const { assetId, uploads } = await owner.finishUpload({
    state,
    isNew,
    source,
    onState,
    onProgress: onStep,
    turns,
    signal,
  })
  if (isTaken(file)) await requireHeld({ owner, baseUrl }, { assetId, source, uploads, signal })
  const of = { assetId, originalHash: state.envelope.ciphertext_hash }
  await addThumbnailOfUpload({ owner, of, device: signer, file })
}
