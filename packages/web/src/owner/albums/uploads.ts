/** The upload queue of the signed-in owner. It continues while other pages are shown, until the tab closes. */

import type { Device } from '@blindkeep/client/device'
import type { Owner, UploadState } from '@blindkeep/client/owner'
import { sourceOfBlob } from '@blindkeep/client/source'
import { useEffect, useState } from 'preact/hooks'
import { guardClosingWhile } from '../../common/closeGuard.ts'
import { useOwnerPages } from '../context.ts'
import { useDevice } from '../device.ts'
import { onOwnerLeave } from '../ownerLeave.ts'
import { addThumbnail } from './thumbnails.ts'
import { isActive, mayBeFinished, type UploadItem, type UploadJob } from './uploadItem.ts'
import { createUploadQueue, type UploadQueue } from './uploadQueue.ts'
import { deleteUpload, storedUploads, storeUpload } from './uploadStore.ts'

type FileQueue = UploadQueue<File>

interface Uploader {
  readonly owner: Owner
  readonly baseUrl: string
  readonly device: () => Promise<Device>
}

const queues = new WeakMap<Owner, FileQueue>()

/** The queue and its current items. */
export function useUploads(): { readonly queue: FileQueue; readonly items: readonly UploadItem[] } {
  const { owner, baseUrl } = useOwnerPages()
  const device = useDevice()
  const queue = queues.get(owner) ?? startQueue({ owner, baseUrl, device })
  const [items, setItems] = useState(queue.items())
  useEffect(() => {
    const read = () => setItems(queue.items())
    read()
    return queue.subscribe(read)
  }, [queue])
  return { queue, items }
}

function startQueue(uploader: Uploader): FileQueue {
  const { owner, baseUrl } = uploader
  const queue = createUploadQueue<File>({
    send: (job) => send(uploader, job),
    compare: ({ file, onStep, ...job }) =>
      owner.requireSameFile({ ...job, source: sourceOfBlob(file), onProgress: onStep }),
    cancel: (state) => owner.cancelUpload(state),
    delete: (state) => deleteUnfinished(owner, state),
    // Uploading works in a browser that stores nothing; it only can't resume after a reload.
    store: (upload) => storeUpload(upload).catch(() => undefined),
    forget: (state) => deleteUpload(state).catch(() => undefined),
  })
  queues.set(owner, queue)
  onOwnerLeave(owner, queue.end)
  storedUploads({ accountId: owner.accountId, baseUrl }).then(queue.restore, () => undefined)
  guardClosingWhile(() => queue.items().some(isActive), queue.subscribe)
  return queue
}

/** After the owner's own cancel: also deletes an asset that has landed in part, because only this upload could complete it. */
async function deleteUnfinished(owner: Owner, state: UploadState): Promise<void> {
  await owner.cancelUpload(state)
  if (mayBeFinished(state)) return
  const asset = await owner.asset(state.envelope.file_id)
  if (!mayBeFinished(state, asset)) await owner.deleteAsset(asset.assetId)
}

async function send({ owner, device }: Uploader, job: UploadJob<File>): Promise<void> {
  const { file, albumId, signal, onState, onStep } = job
  const source = sourceOfBlob(file)
  const signer = await device()
  let { state } = job
  if (state === undefined) {
    state = await owner.prepareUpload({
      source,
      album: albumId,
      device: signer,
      name: file.name,
      type: file.type === '' ? undefined : file.type,
      modifiedAt: new Date(file.lastModified).toISOString(),
      onProgress: onStep,
      signal,
    })
    await onState(state)
  }
  const { assetId } = await owner.finishUpload({ state, source, onState, onProgress: onStep, signal })
  const of = { assetId, originalHash: state.envelope.ciphertext_hash }
  await addThumbnail({ owner, of, device: signer, file })
}
