/** What guests and owners see while something behind the server is away. */
import { type Api, type Asked, pause, type Reply } from './api.ts'

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
  /** Whether there was any at this instant of `performance.now()` or later: also if it is over meanwhile. */
  wasSince(instant: number): boolean
}

/** A refusal may still be on its way, or its request still be waiting for a connection to the database. */
const LATE_MS = 12_000
const PAUSE_MS = 100
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
    wasSince: (instant) => isNow || endedAt >= instant,
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
        const began = performance.now()
        const reply = await api.ask(asked)
        if (reply === undefined) return undefined
        if (!isUseless(asked, reply, began)) return { ...reply, mayDoubt: present.wasSince(began) }
        await pause(PAUSE_MS)
        return undefined
      },
      async askUntilAnswered(asked) {
        for (;;) {
          const began = performance.now()
          const reply = await api.askUntilAnswered(asked)
          if (!isUseless(asked, reply, began)) return { ...reply, mayDoubt: present.wasSince(began) }
          await pause(PAUSE_MS)
        }
      },
    }),
  }
  /** Trouble at any instant of the ask counts, and before it what may still have an effect. */
  function isUseless(asked: Asked, reply: Reply, began: number): boolean {
    const from = Math.min(began, performance.now() - LATE_MS)
    if (!present.wasSince(from)) return false
    const isFromBytes = reply.status === 200 && FROM_BYTES.test(`${asked.method} ${asked.path}`)
    const isRefusal = isRefused(reply, from)
    if (isRefusal) trouble.refused++
    return isRefusal || (isFromBytes && lying.wasSince(from))
  }
  function isRefused({ status, code, body }: Reply, from: number): boolean {
    const isForRoom = code === 'error.storage.full' && full.wasSince(from)
    // An answer to HEAD has no body, and so no code.
    return status === 500 && (code === 'error.storage.unavailable' || isForRoom || body.length === 0)
  }
  return trouble
}
