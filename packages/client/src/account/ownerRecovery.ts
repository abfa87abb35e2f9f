/** Other recovery words of a signed-in owner, and the note at the server that the owner has them. */
import type { Bytes } from '@blindkeep/protocol/bytes'
import { createCalls } from '../http/call.ts'
import { NetworkError } from '../http/errors.ts'
import { mayBeDone, sendAgainWhenLost } from '../http/lostAnswer.ts'
import { callProved } from '../http/proof.ts'
import { recoveryKeySeed } from '../seal/derive.ts'
import { type OwnPasswordPorts, presentKeys } from './masterOf.ts'
import {
  type NewRecoveryWords,
  noteAccountKey,
  noteSent,
  recoveryOf,
  requireOpens,
  seedOfWords,
} from './newRecoveryWords.ts'
import { withPassword } from './passwordWrong.ts'
import { secretOfWords } from './recoveryWords.ts'

export interface ChangeRecoveryWords {
  /** The present one. */
  readonly password: string
  /** Needed where a second factor is on: of the authenticator, or a backup code. */
  readonly code?: string | undefined
  /** From `newRecoveryWords`. The same object again for another try: an earlier one may have been stored. */
  readonly words: NewRecoveryWords
}

export interface OwnerRecovery {
  /**
   * Replaces the recovery words: from now on the former ones open nothing, and sessions stay. Takes 64 MiB and about a
   * second. Then call `words.confirm()`, show what it returns, and once the owner has it, `confirmRecoveryWords`.
   * Throws what `changePassword` throws. After an error of `mayBeDone` the words may have been stored, or may yet be,
   * if the request is still on its way: `words.confirm()` shows it.
   */
  changeRecoveryWords(change: ChangeRecoveryWords): Promise<void>
  /**
   * Checks that the words open this account, and notes at the server that the owner has them. Takes typed words (all
   * 24; capitals, spaces, line breaks and the numbers of a list do not matter) or the object that made them. Throws
   * `WordsError`, `RecoveryError` if they open nothing (any more), and what a call throws.
   */
  confirmRecoveryWords(words: string | NewRecoveryWords): Promise<void>
}

interface RecoveryPorts extends OwnPasswordPorts {
  readonly accountKey: Bytes
}

export function createOwnerRecovery({ accountKey, ...own }: RecoveryPorts): OwnerRecovery {
  const { calls, email, environment } = own
  // A recovery asks without a session, and so does this check of what it would get.
  const strangers = createCalls({ ...calls.address, fetch: environment.fetch })
  /** Words of a try whose outcome was not known. */
  const mayBeStored = new WeakSet<NewRecoveryWords>()
  return {
    async changeRecoveryWords({ password, code, words }) {
      const { seed } = await presentKeys(own, password)
      noteAccountKey(words, accountKey)
      const body = { seed, ...(code === undefined ? {} : { code }), ...(await recoveryOf(words, accountKey)) }
      noteSent(words, { calls: strangers, email })
      let requests = 0
      const send = () => {
        requests += 1
        return callProved(calls, 'changeRecoveryWords', body)
      }
      try {
        await withPassword(() => sendAgainWhenLost(send))
      } catch (error) {
        // The server counts the question below as wrong words.
        if (requests === 1 && !mayBeStored.has(words) && !mayBeDone(error)) throw error
        mayBeStored.add(words)
        // A lost answer to an earlier request, or a proxy's own answer, may hide that they are stored.
        if (error instanceof NetworkError || !(await isStored(words))) throw error
      }
    },

    async confirmRecoveryWords(words) {
      if (typeof words === 'string') {
        const secret = await secretOfWords(words)
        await requireOpens({ calls: strangers, email, secret, accountKey })
        await prove(recoveryKeySeed(secret))
      } else {
        await words.confirm()
        await prove(seedOfWords(words))
      }
    },
  }

  function isStored(words: NewRecoveryWords): Promise<boolean> {
    return words.confirm().then(
      () => true,
      () => false,
    )
  }

  async function prove(seed: Bytes): Promise<void> {
    await sendAgainWhenLost(() => callProved(calls, 'confirmRecoveryWords', { seed }))
  }
}
