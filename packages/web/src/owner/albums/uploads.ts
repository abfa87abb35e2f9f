/** The upload queue of whoever is signed in. It goes on while other pages are looked at, until the tab is closed. */

import type { Device } from '@blindkeep/client/device'
import type { Owner, UploadState } from '@blindkeep/client/owner'
import { sourceOfBlob } from '@blindkeep/client/source'
import { useEffect, useState } from 'preact/hooks'
import { busyAsLongAs } from '../busy.ts'
import { useOwnerPages } from '../context.ts'
import { useDevice } from '../device.ts'
import { whenLeft } from '../left.ts'
import { addThumbnail } from './pictures.ts'
import { createUploadQueue, isActive, type UploadItem, type UploadJob, type UploadQueue } from './uploadQueue.ts'
import { forgetUpload, keepUpload, keptUploads } from './uploadStore.ts'

type FileQueue = UploadQueue<File>

interface Uploader {
  readonly owner: Owner
  readonly baseUrl: string
  readonly device: () => Promise<Device>
}

const queues = new WeakMap<Owner, FileQueue>()

/** The queue, and what is in it now. */
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
    cancel: (state) => cancel(owner, state),
    // A browser that keeps nothing uploads all the same; it only cannot go on after a reload.
    keep: (upload) => keepUpload(upload).catch(() => undefined),
    forget: (state) => forgetUpload(state).catch(() => undefined),
  })
  queues.set(owner, queue)
  whenLeft(owner, queue.end)
  keptUploads({ accountId: owner.accountId, baseUrl }).then(queue.restore, () => undefined)
  busyAsLongAs(() => queue.items().some(isActive), queue.subscribe)
  return queue
}

/** Of what has landed already, nothing is left either: nobody could finish it. */
async function cancel(owner: Owner, state: UploadState): Promise<void> {
  await owner.cancelUpload(state)
  const { complete, assetId } = await owner.asset(state.envelope.file_id)
  if (!complete) await owner.deleteAsset(assetId)
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
  await addThumbnail({ owner, assetId, device: signer, file })
}
