/** Whether a guest may send through a link: its passphrase, if it has one. */
import type { Limiter } from '../../ports/limiter.ts'
import type { Link } from '../../ports/store.ts'
import type { Refuses } from '../ground/refusals.ts'
import { createJudgePassphrase, type PassphraseSettings, type Proof } from '../passphrases/judgePassphrase.ts'

type ProofRefusal = Refuses<
  'passphrase_missing' | 'passphrase_wrong' | 'link_limited' | 'declaration_malformed' | 'request_malformed'
>

type JudgeProof = (link: Link, proof: Proof) => Promise<ProofRefusal | undefined>

export function createJudgeProof(limiter: Limiter, settings: PassphraseSettings): JudgeProof {
  const judge = createJudgePassphrase(limiter, settings, 'link')

  return async function judgeProof(link, proof) {
    const judgement = await judge(link, proof)
    switch (judgement.is) {
      case 'right':
        return undefined
      case 'not_needed':
        return proof.proof === undefined
          ? undefined
          : { refused: 'declaration_malformed', detail: 'this link asks for no passphrase' }
      case 'missing':
        return { refused: 'passphrase_missing' }
      case 'wrong':
        return { refused: 'passphrase_wrong' }
      case 'malformed':
        return judgement.refusal
      case 'limited':
        return { refused: 'link_limited', retryAfterSeconds: judgement.retryAfterSeconds }
    }
  }
}
