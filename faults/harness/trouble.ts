/** What guests and owners see while something behind the server is away. */
import type { StorageVerifyResponse } from '@blindkeep/protocol/schemas/verify'
import { type Api, type Asked, jsonOf, pause, type Reply } from './api.ts'

export interface Trouble {
  /** While it is so, and a little longer, the declared answers for it are no faults. */
  readonly present: Spell
  /**
   * The store gives wrong bytes. A client sees that by the hash, and asks again. A verification that reads them says
   * so, and then withholds the object until it was read again.
   */
  readonly lying: Spell
  /** The database has no room, which the server says with a code of its own. */
  readonly full: Spell
  /** Requests that were answered so. */
  refused: number
  /** How guests see the server: such an answer is as good as none, so they ask again. */
  seen(api: Api): Api
}

interface Spell {
  isNow: boolean
  /** It ended less than `LATE_MS` ago. */
  readonly wasLately: boolean
}

/** A refusal may still be on its way, or its request still be waiting for a connection to the database. */
const LATE_MS = 12_000
const PAUSE_MS = 100
const VERIFY = '/v1/storage/verify'
const FROM_BYTES = /^(GET \/v1\/(drops\/[^/]+\/content|blob\/)|POST \/v1\/storage\/verify$)/

function createSpell(): Spell {
  let isNow = false
  let endedAt = Number.NEGATIVE_INFINITY
  return {
    get isNow() {
      return isNow
    },
    set isNow(is) {
      if (isNow) endedAt = performance.now()
      isNow = is
    },
    get wasLately() {
      return performance.now() - endedAt < LATE_MS
    },
  }
}

export function createTrouble(): Trouble {
  const [present, lying, full] = [createSpell(), createSpell(), createSpell()]
  const trouble: Trouble = {
    present,
    lying,
    full,
    refused: 0,
    seen: (api) => ({
      ...api,
      async ask(asked) {
        const began = present.isNow
        const reply = await api.ask(asked)
        if (reply === undefined || !isUseless(asked, reply, began || present.isNow)) return reply
        await pause(PAUSE_MS)
        return undefined
      },
      async askUntilAnswered(asked) {
        for (;;) {
          const began = present.isNow
          const reply = await api.askUntilAnswered(asked)
          if (!isUseless(asked, reply, began || present.isNow)) return reply
          await pause(PAUSE_MS)
        }
      },
    }),
  }
  const isRecent = () => present.isNow || present.wasLately
  const hasLied = () => (lying.isNow && isRecent()) || lying.wasLately
  function isUseless(asked: Asked, reply: Reply, wasPresent: boolean): boolean {
    const isFromBytes = reply.status === 200 && FROM_BYTES.test(`${asked.method} ${asked.path}`)
    return isRefused(reply) || (isFromBytes && hasLied()) || (wasPresent && isInDoubt(asked, reply))
  }
  function isRefused({ status, code, body }: Reply): boolean {
    const isExpected = isRecent()
    const isForRoom = code === 'error.storage.full' && (full.isNow || full.wasLately)
    // An answer to HEAD has no body, and so no code.
    const isDeclared = status === 500 && (code === 'error.storage.unavailable' || isForRoom || body.length === 0)
    if (isExpected && isDeclared) trouble.refused++
    return isExpected && isDeclared
  }
  return trouble
}

/**
 * A verification that says no to some blob. While single requests to the store fail, that is how it says that it cannot
 * know (specification, StorageVerdictResponse: durable is false whenever the server cannot say otherwise). A yes is
 * judged at any time.
 */
function isInDoubt({ path }: Asked, reply: Reply): boolean {
  if (path !== VERIFY || reply.status !== 200) return false
  return jsonOf<StorageVerifyResponse>(reply).verdicts.some(({ durable }) => !durable)
}
