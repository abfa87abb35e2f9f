/** Creates the parts of the guest page's engine and connects them. */
import { serverUrlOf } from '@blindkeep/client/call'
import { type Environment, withCachedProofs } from '@blindkeep/client/environment'
import type { LinkParts } from '@blindkeep/client/guest'
import { askSite, type Site } from '@blindkeep/client/site'
import { toHex } from '@blindkeep/protocol/bytes'
import type { AssetReceipt } from '@blindkeep/protocol/schemas/receipts'
import { type Admission, createAdmission } from './admission/admission.ts'
import { createEarlierUploads, type EarlierUploads } from './admission/earlierUploads.ts'
import { createPlannedFiles, type PlannedFiles } from './admission/plannedFiles.ts'
import { createEntries, type Entries, type Entry } from './entries/entries.ts'
import { createRemarks, type Remarks } from './entries/remarks.ts'
import { type Batches, createBatches } from './files/batches.ts'
import { failHopeless, isOver } from './link/closedLink.ts'
import { createDraft, type Draft } from './link/draft.ts'
import { createHeldBackNotes, type HeldBackNotes } from './link/heldBackNotes.ts'
import { createLinkOpening, type LinkOpening } from './link/linkOpening.ts'
import { createPassphrase, type Passphrase } from './link/passphrase.ts'
import { createRequirements } from './link/requirements.ts'
import { createProofs, type Proofs } from './receipts/proofs.ts'
import { createReceipts, type Receipts } from './receipts/receipts.ts'
import { createSentFiles } from './receipts/sentFiles.ts'
import { createRateMeter, type RateMeter } from './sending/rate.ts'
import { createUploads, type Uploads } from './sending/uploads.ts'
import { createWakingWait } from './sending/wakingWait.ts'
import type { GuestStore } from './store/guestStore.ts'
import { createLockedUploads } from './store/lockedUploads.ts'
import type { TabLocks } from './store/tabLocks.ts'

const ID_BYTES = 16

export interface GuestEngineOptions {
  readonly parts: LinkParts
  readonly environment: Environment
  /** Sends chunks, and reports how many bytes of one are sent. */
  readonly uploadFetch: (onSent: (bytes: number) => void) => typeof fetch
  readonly store: GuestStore
  readonly locks: TabLocks
  readonly onChange: () => void
}

export interface EngineParts {
  readonly linkId: string
  /** To which receipts and their keys are bound. */
  readonly serverUrl: string
  readonly store: GuestStore
  readonly entries: Entries
  readonly passphrase: Passphrase
  readonly link: LinkOpening
  readonly site: SiteFacts
  readonly receipts: Receipts
  readonly proofs: Proofs
  readonly uploads: Uploads
  readonly earlier: EarlierUploads
  readonly planned: PlannedFiles
  readonly admission: Admission
  readonly remarks: Remarks
  readonly ownerHears: HeldBackNotes
  readonly rate: RateMeter
  readonly batches: Batches
  readonly draft: Draft
  /** What the guest has decided for all files of this visit. */
  readonly visit: { isPaused: boolean }
  readonly nowMs: () => number
  readonly onChange: () => void
  /** Ends all waits for another try. */
  readonly endWaits: () => void
}

/** What the operator says about itself. Asked once, and absent without an answer. */
export interface SiteFacts {
  now(): Site | undefined
  ask(): Promise<void>
}

export function createEngineParts(options: GuestEngineOptions): EngineParts {
  const { store, locks, onChange } = options
  const { baseUrl, opaqueId } = options.parts
  const serverUrl = serverUrlOf(options.parts)
  const waking = createWakingWait(options.environment.wait)
  const environment = { ...withCachedProofs(options.environment), wait: waking.wait }
  const nowMs = () => Number(environment.now())
  const linkId = `${serverUrl} ${opaqueId}`
  const visit = { isPaused: false }
  const newId = () => toHex(environment.randomBytes(ID_BYTES))
  const planned = createPlannedFiles({ linkId, visitId: newId(), store, locks, nowMs, onChange })
  const rate = createRateMeter(() => environment.elapsedMs())
  const draft = createDraft({ linkId, store, entries: () => entries, nowMs })
  const ownerHears = createHeldBackNotes({ link: () => link.opened(), onChange })
  const entries: Entries = createEntries((before, after) => {
    rate.count(sentBetween(before, after))
    planned.follow(before, after)
    draft.follow(before, after)
    ownerHears.follow(before, after)
    onChange()
  })
  const passphrase = createPassphrase(onChange)
  const batches = createBatches(environment)
  const link = createLinkOpening({ parts: options.parts, environment, onChange: onLink })
  const receipts = createReceipts({
    ...{ environment, store },
    onStatus: (id, receipt) => entries.change(id, { receipt }),
    onReceipt: (id, receipt) => addReceipt(entries, id, receipt),
  })
  const requirements = createRequirements(entries, link.opened)
  const sent = createSentFiles()
  const proofs = createProofs({ serverUrl, entries, sent, receipts, environment, onChange })
  const locked = createLockedUploads({ linkId, store, locks, nowMs })
  const uploads = createUploads({
    ...{ linkId, parts: options.parts, entries, uploads: locked, store, passphrase, sent, requirements },
    environmentFor: (onSent) => ({ ...environment, fetch: options.uploadFetch(onSent) }),
    link: () => (link.status().is === 'open' ? link.opened() : undefined),
    maySend: () => !visit.isPaused && !isOver(link.status()),
    failHopeless: () => {
      failHopeless(entries, link.status(), uploads.pause)
      requirements.holdBack()
    },
    onLanded: receipts.fetch,
    onLinkChanged: () => void link.ask(),
  })
  const earlier = createEarlierUploads({
    ...{ linkId, entries, uploads: locked, environment, planned, store, locks, onChange },
    onReady: uploads.pump,
    onLanded: () => void draft.forgetIfDone(),
    onMissingReceipt: ({ id, custody }) => receipts.fetch(id, custody),
  })
  const remarks = createRemarks()
  const admission = createAdmission({
    ...{ entries, uploads: locked, earlier, planned, remarks, requirements, newId, onChange },
    ...{ linkStatus: link.status, onGoingOn: batches.goOn },
  })

  let said: Site | undefined
  const site: SiteFacts = {
    now: () => said,
    async ask() {
      said = await askSite(baseUrl, environment)
      if (said !== undefined) onChange()
    },
  }

  function onLink(): void {
    if (link.status().is === 'open') {
      passphrase.require(link.opened()?.limits.passphraseRequired === true)
      // The server's answer counts all sessions that exist.
      for (const { id, isReserved } of entries.all()) if (isReserved) entries.change(id, { isReserved: false })
    }
    admission.judge()
    uploads.pump()
    onChange()
  }

  return {
    ...{ linkId, serverUrl, store, entries, passphrase, link, site, receipts, uploads, earlier, planned, admission },
    ...{ proofs, remarks, ownerHears, rate, batches, draft, visit, nowMs, onChange, endWaits: waking.wake },
  }
}

function addReceipt(entries: Entries, id: string, receipt: AssetReceipt): void {
  const { landed, landedAt } = entries.get(id) ?? {}
  if (landed === undefined) return
  // A file that landed while the page was closed: only the signature says when.
  const signedAt = landedAt === undefined ? undefined : receipt.received_at
  entries.change(id, { landed: { ...landed, receipt }, landedAt: signedAt })
}

/** Bytes that were sent in this visit. Bytes that the server reports of an earlier visit do not count. */
function sentBetween(before: Entry | undefined, after: Entry | undefined): number {
  if (before?.phase !== 'sending' || after === undefined) return 0
  return after.sentBytes + after.inFlightBytes - before.sentBytes - before.inFlightBytes
}
