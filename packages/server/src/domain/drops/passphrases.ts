/** Whether a guest has proven that it knows the passphrase of a link. */
import { timingSafeEqual } from 'node:crypto'
import { parseBase64 } from '@blindkeep/protocol/bytes'
import type { OpaqueId } from '@blindkeep/protocol/ids'
import type { Limiter } from '../../ports/limiter.ts'
import type { Link } from '../../ports/store.ts'
import { isRefusal, type Refuses } from '../refusals.ts'
import { sha256 } from '../sha256.ts'
import { networkOf } from './guestNetwork.ts'
import { takeFirst } from './takeFirst.ts'

export interface PassphraseSettings {
  readonly passphraseTriesPerWindow: number
}

/** Wrong proofs for a link from sources that were wrong before, or are unknown. */
const MAX_ATTEMPTS_PER_LINK = 100
/**
 * First wrong proofs for a link, one for each network. It is apart from the other limit so that a few guessers cannot use up the attempt of a guest who knows
 * the passphrase, and bounds guessing from very many networks (decisions/limits.md has the numbers).
 */
const MAX_FIRST_ATTEMPTS_PER_LINK = 1000
const WINDOW_SECONDS = 900
/** Above this, the oldest is forgotten. */
const MAX_PROVEN = 10_000
const MAX_PROOF_BYTES = 4096

export interface Proof {
  /** base64 */
  readonly proof: string | undefined
  /** The address of the request. Undefined when many guests share it. */
  readonly source: string | undefined
}

type ProofRefusal = Refuses<
  'passphrase_missing' | 'passphrase_wrong' | 'link_limited' | 'declaration_malformed' | 'request_malformed'
>

type JudgeProof = (link: Link, proof: Proof) => Promise<ProofRefusal | undefined>

/** Counts each attempt before it compares the proof, and takes the count back for a right proof. So parallel guesses gain nothing. */
export function createJudgeProof(limiter: Limiter, { passphraseTriesPerWindow }: PassphraseSettings): JudgeProof {
  /** Links and sources from which a proof was right: guesses from elsewhere do not stop a guest who is sending. */
  const proven = new Set<string>()

  function remember(guest: string): void {
    proven.add(guest)
    const [oldest] = proven
    if (proven.size > MAX_PROVEN && oldest !== undefined) proven.delete(oldest)
  }

  return async function judgeProof({ opaqueId, verifierHash }, { proof, source }) {
    if (verifierHash === undefined) {
      return proof === undefined
        ? undefined
        : { refused: 'declaration_malformed', detail: 'this link asks for no passphrase' }
    }
    if (proof === undefined) return { refused: 'passphrase_missing' }
    const proofBytes = parseBase64(proof)
    if (proofBytes === undefined || proofBytes.length < 1 || proofBytes.length > MAX_PROOF_BYTES)
      return {
        refused: 'request_malformed',
        detail: `/passphrase_proof must be base64 of 1 to ${MAX_PROOF_BYTES} bytes`,
      }
    const guest = source === undefined ? undefined : `${opaqueId} ${source}`
    const isProven = guest !== undefined && proven.has(guest)
    const counted = await takeFirst(
      limiter,
      attemptLimits({ opaqueId, source, guest, isProven }, passphraseTriesPerWindow),
    )
    if (isRefusal(counted)) return counted
    if (!timingSafeEqual(sha256(proofBytes), verifierHash)) return { refused: 'passphrase_wrong' }
    await limiter.giveBack(counted)
    if (guest !== undefined) remember(guest)
    return undefined
  }
}

interface Attempt {
  readonly opaqueId: OpaqueId
  readonly source: string | undefined
  /** The link and the source. Undefined if the source is unknown. */
  readonly guest: string | undefined
  readonly isProven: boolean
}

/** Many guests may share an unknown source: then only the link's own limit counts. */
function attemptLimits({ opaqueId, source, guest, isProven }: Attempt, maxPerSource: number) {
  const windowSeconds = WINDOW_SECONDS
  const ofLink = { rule: 'passphrase-of-link', key: opaqueId, max: MAX_ATTEMPTS_PER_LINK, windowSeconds }
  if (guest === undefined) return [[ofLink]]
  const ofSource = { rule: 'passphrase-of-link-and-source', key: guest, max: maxPerSource, windowSeconds }
  if (isProven) return [[ofSource]]
  const network = `${opaqueId} ${networkOf(source)}`
  const firstOfNetwork = { rule: 'first-passphrase-of-link-and-network', key: network, max: 1, windowSeconds }
  const firstsOfLink = {
    rule: 'first-passphrases-of-link',
    key: opaqueId,
    max: MAX_FIRST_ATTEMPTS_PER_LINK,
    windowSeconds,
  }
  return [
    [ofSource, firstOfNetwork, firstsOfLink],
    [ofSource, ofLink],
  ]
}
