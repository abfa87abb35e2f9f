/** Runs the guest page's engine. Keys, files, network and storage never use the thread that draws. */
import { fileHashOf, systemEnvironment } from '@blindkeep/client/environment'
import type { LinkParts } from '@blindkeep/client/guest'
import { isLocalPage, pageFetch, setLocalToken, throughProgram } from '../../common/address/localPage.ts'
import { createFastHash } from '../../common/hashing/fastHash.ts'
import type { Answer, Command } from '../ground/messages.ts'
import { type GuestEngine, openGuestEngine } from './engine.ts'
import { createUploadFetch } from './sending/uploadFetch.ts'
import { createMemoryStore, type GuestStore } from './store/guestStore.ts'
import { openGuestStore } from './store/idbGuestStore.ts'
import { createLocalStore } from './store/localStore.ts'
import { locksFor } from './store/tabLocks.ts'

/** Ten snapshots a second look smooth; a hundred would keep both threads busy. */
const PUBLISH_MS = 100
/** The time left changes even when nothing else does. */
const TICK_MS = 1_000

/** In some browsers storage hangs after a crash; the guest can still send then. */
const MAX_STORE_OPENING_MS = 5_000

const post = (answer: Answer) => self.postMessage(answer)
let engine: Promise<GuestEngine> | undefined
let isPublishing = false

function publishSoon(): void {
  if (isPublishing) return
  isPublishing = true
  setTimeout(() => {
    isPublishing = false
    void engine?.then(publish)
  }, PUBLISH_MS)
}

function publish(opened: GuestEngine): void {
  post({ is: 'snapshot', snapshot: opened.snapshot() })
}

async function open(parts: LinkParts): Promise<GuestEngine> {
  const store = await openStore()
  return openGuestEngine({
    parts,
    environment: {
      ...systemEnvironment,
      fetch: pageFetch,
      createFileHash: async () => fileHashOf(await createFastHash()),
    },
    uploadFetch: (onSent) => throughProgram(createUploadFetch({ fetch: systemEnvironment.fetch, onSent })),
    store,
    locks: locksFor(store, self.navigator.locks),
    onChange: publishSoon,
  })
}

async function openStore(): Promise<GuestStore> {
  if (isLocalPage) return createLocalStore()
  try {
    return await Promise.race([openGuestStore(), systemEnvironment.wait(MAX_STORE_OPENING_MS).then(createMemoryStore)])
  } catch {
    return createMemoryStore()
  }
}

async function perform(opened: GuestEngine, command: Exclude<Command, { do: 'open' }>): Promise<void> {
  switch (command.do) {
    case 'add':
      return opened.add(command.files, command.others)
    case 'send':
      opened.send(command.message, command.passphrase)
      // At once: the proof of a passphrase takes seconds, in which this thread does nothing else.
      return publish(opened)
    case 'write':
      return opened.write(command.message)
    case 'passphrase':
      opened.givePassphrase(command.passphrase)
      return publish(opened)
    case 'saveReceipts': {
      const document = await opened.receiptDocument(command.id)
      return document === undefined ? undefined : post({ is: 'document', ...document })
    }
    case 'makeProofs':
      return opened.makeProofs(command.id)
    case 'saveProofs': {
      const document = opened.takeProofs()
      return document === undefined ? undefined : post({ is: 'document', ...document })
    }
    case 'pause':
    case 'resume':
    case 'retry':
    case 'cancel':
    case 'remove':
    case 'discard':
    case 'fetchReceipt':
      return opened[command.do](command.id)
    default:
      return opened[command.do]()
  }
}

self.addEventListener('message', ({ data }: MessageEvent<Command>) => {
  if (data.do === 'open') {
    if (data.localToken !== undefined) setLocalToken(data.localToken)
    engine ??= open(data.link)
    engine.then(publish).catch(() => post({ is: 'broken' }))
    return
  }
  engine?.then((opened) => perform(opened, data)).catch(() => post({ is: 'broken' }))
})
self.addEventListener('online', () => void engine?.then((opened) => opened.wake()))
setInterval(() => void engine?.then((opened) => opened.isBusy() && publish(opened)), TICK_MS)
