/** Everything of the guest page that is not drawing: keys, files, network and what is kept never touch the thread that draws. */
import { systemEnvironment } from '@blindkeep/client/environment'
import type { LinkParts } from '@blindkeep/client/guest'
import { type GuestEngine, openGuestEngine } from './engine.ts'
import { openKeep } from './idbKeep.ts'
import { createMemoryKeep, type Keep } from './keep.ts'
import type { Answer, Command } from './messages.ts'
import { locksFor } from './tabLocks.ts'
import { createUploadFetch } from './uploadFetch.ts'

/** Ten pictures a second are smooth; a hundred would keep both threads busy. */
const PUBLISH_MS = 100
/** What is left of the time changes even when nothing else does. */
const TICK_MS = 1_000

/** Storage that hangs, as some browsers' does after a crash, must keep nobody from sending. */
const MAX_KEEP_MS = 5_000

const tell = (answer: Answer) => self.postMessage(answer)
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
  tell({ is: 'snapshot', snapshot: opened.snapshot() })
}

async function open(parts: LinkParts): Promise<GuestEngine> {
  const keep = await keepOf()
  return openGuestEngine({
    parts,
    environment: systemEnvironment,
    uploadFetch: (onSent) => createUploadFetch({ fetch: systemEnvironment.fetch, onSent }),
    keep,
    locks: locksFor(keep, self.navigator.locks),
    onChange: publishSoon,
  })
}

async function keepOf(): Promise<Keep> {
  try {
    return await Promise.race([openKeep(), systemEnvironment.wait(MAX_KEEP_MS).then(createMemoryKeep)])
  } catch {
    return createMemoryKeep()
  }
}

async function perform(opened: GuestEngine, command: Exclude<Command, { do: 'open' }>): Promise<void> {
  switch (command.do) {
    case 'add':
      return opened.add(command.files, command.unread)
    case 'send':
      return opened.send(command.message, command.passphrase)
    case 'passphrase':
      return opened.givePassphrase(command.passphrase)
    case 'saveReceipts': {
      const document = await opened.receiptDocument(command.id)
      return document === undefined ? undefined : tell({ is: 'document', ...document })
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
    engine ??= open(data.link)
    engine.then(publish).catch(() => tell({ is: 'broken' }))
    return
  }
  engine?.then((opened) => perform(opened, data)).catch(() => tell({ is: 'broken' }))
})
self.addEventListener('online', () => void engine?.then((opened) => opened.wake()))
setInterval(() => void engine?.then((opened) => opened.isBusy() && publish(opened)), TICK_MS)
