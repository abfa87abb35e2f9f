import type { OpaqueId, UploadId } from '@blindkeep/protocol/ids'
import type { Blobs } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Limit, Limiter } from '../../ports/limiter.ts'
import type { Random } from '../../ports/random.ts'
import type { Link, ReceiptRow, Store } from '../../ports/store.ts'
import type { Quota } from '../quota/quota.ts'
import { isRefusal, type Refuses } from '../refusals.ts'
import { findDropUpload } from '../uploads/findUpload.ts'
import {
  type Admission,
  type AdmissionRefusal,
  type AdmissionRequest,
  type AdmissionSettings,
  createAdmit,
} from './admission.ts'
import { findLive, type Links } from './links.ts'
import { createJudgeProof, type PassphraseSettings, type Proof } from './passphrases.ts'

/** A guest's drop session: its creation and, once it has landed, its receipt. uploads/chunks.ts takes its bytes, landDrop.ts lands it. */
export interface DropSettings extends AdmissionSettings, PassphraseSettings {
  readonly linkSessionsPerWindow: number
  readonly sourceSessionsPerWindow: number
}

const WINDOW_SECONDS = 900

export type CreateDrop = AdmissionRequest & Proof

type CreateRefusal =
  | AdmissionRefusal
  | Refuses<'source_limited' | 'link_limited' | 'passphrase_missing' | 'passphrase_wrong' | 'request_malformed'>

interface DropPorts {
  readonly store: Store
  readonly blobs: Blobs
  readonly clock: Clock
  readonly random: Random
  readonly limiter: Limiter
  readonly links: Links
  readonly quota: Quota
}

export type Drops = ReturnType<typeof createDrops>

export function createDrops(ports: DropPorts, settings: DropSettings) {
  const { store, blobs, clock, limiter } = ports
  const admit = createAdmit(ports, settings)
  const judgeProof = createJudgeProof(limiter, settings)

  /** Takes from the limits before `work` judges, and gives back unless `work` opens a session: the limits count opened sessions. */
  async function counting(
    limits: readonly Limit[],
    limited: 'source_limited' | 'link_limited',
    work: () => Promise<Admission | CreateRefusal>,
  ): Promise<Admission | CreateRefusal> {
    const retryAfterSeconds = await limiter.take(limits)
    if (retryAfterSeconds !== undefined) return { refused: limited, retryAfterSeconds }
    let hasOpened = false
    try {
      const admission = await work()
      hasOpened = !isRefusal(admission) && !admission.isRepeat
      return admission
    } finally {
      if (!hasOpened) await limiter.giveBack(limits)
    }
  }

  async function judgeAndAdmit(request: CreateDrop, link: Link): Promise<Admission | CreateRefusal> {
    const refused = await judgeProof(link, request)
    if (refused !== undefined) return refused
    const freeBytes = await blobs.freeBytes()
    return store.write((tx) => admit(tx, request, freeBytes))
  }

  return {
    /** Opens a session, or answers with the one that the same Idempotency-Key opened. */
    async create(request: CreateDrop): Promise<UploadId | CreateRefusal> {
      const { ofSource, ofLink } = sessionLimits(request, settings)
      const admission = await counting(ofSource, 'source_limited', async () => {
        const link = await store.read((tx) => findLive(tx, request.opaqueId, clock.now()))
        if (link === undefined) return { refused: 'link_not_live' }
        return counting(ofLink, 'link_limited', () => judgeAndAdmit(request, link))
      })
      return isRefusal(admission) ? admission : admission.uploadId
    },

    /** The receipt of a landed drop. */
    async receipt(scope: {
      readonly opaqueId: OpaqueId
      readonly uploadId: UploadId
    }): Promise<ReceiptRow | Refuses<'upload_not_found'>> {
      const upload = await store.read(findDropUpload(scope))
      if (isRefusal(upload)) return upload
      const row = await store.read((tx) => tx.receipts.ofUpload(upload.uploadId))
      return row ?? { refused: 'upload_not_found' }
    },
  }
}

function sessionLimits(
  { opaqueId, source }: CreateDrop,
  { sourceSessionsPerWindow, linkSessionsPerWindow }: DropSettings,
): { readonly ofSource: readonly Limit[]; readonly ofLink: readonly Limit[] } {
  const windowSeconds = WINDOW_SECONDS
  return {
    ofSource:
      source === undefined
        ? []
        : [{ rule: 'sessions-of-source', key: source, max: sourceSessionsPerWindow, windowSeconds }],
    ofLink: [{ rule: 'sessions-of-link', key: opaqueId, max: linkSessionsPerWindow, windowSeconds }],
  }
}
