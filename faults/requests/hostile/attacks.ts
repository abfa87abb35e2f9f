/** What rude guests do. Each attack repeats until it is stopped; what the server answers to it does not matter. */
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { pause } from '../../harness/api.ts'
import { sha256 } from '../../harness/random.ts'
import type { Guest } from './wire.ts'

export interface Target {
  /** A link without a passphrase, which an honest guest uses too. */
  readonly link: string
  /** A link with a passphrase. */
  readonly gatedLink: string
}

interface Attacker {
  readonly guest: Guest
  readonly target: Target
  /** Aborts at the end of the attack. */
  readonly signal: AbortSignal
}

export interface Attack {
  readonly name: string
  /** One step. Its failures are ignored. */
  step(attacker: Attacker): Promise<unknown>
}

const TEBIBYTE = 2 ** 40
const MEBIBYTE = 2 ** 20
const KEM_CT = randomBytes(1120).toString('base64')
const SLOW_BODIES = 40
const IDLE_CONNECTIONS = 60
const LEFT_TO_DRIP = 1000
/** Made once: a rude guest costs the server more than itself. */
const BEGUN_BODY = Buffer.alloc(MEBIBYTE - LEFT_TO_DRIP, ' ')
/** The largest JSON body that the server reads for a stranger. */
const ADMITTED_BODY_BYTES = 64 * 1024
const NESTED = Buffer.alloc(MEBIBYTE, '[')
const HUGE_NAME = '\u{1f5ff}'.repeat(200_000)
const UNREAD_CONNECTIONS = 20
/** Fewer than the 32 after which the server closes a connection. */
const UNREAD_ANSWERS = 16
/** Between two connections of one guest: a burst of a hundred megabytes would be a flood of the processor. */
const OPEN_MS = 100
const OPEN_UNREAD_MS = 500
/** A slow body brings a byte in this time. */
const DRIP_MS = 500
const HELD_DRIPS = 20

export const ATTACKS: readonly Attack[] = [
  {
    name: 'terabytes, and no byte of them',
    step: ({ guest, target }) => create(guest, target.link, { size: TEBIBYTE }),
  },
  {
    name: 'terabytes, and one byte of them',
    async step({ guest, target }) {
      const path = await create(guest, target.link, { size: TEBIBYTE })
      if (path !== undefined) await guest.ask(chunkOf(path, Buffer.alloc(1)))
    },
  },
  { name: 'empty sessions', step: ({ guest, target }) => create(guest, target.link, { size: 1000 }) },
  {
    name: 'create and cancel',
    async step({ guest, target }) {
      const path = await create(guest, target.link, { size: MEBIBYTE })
      if (path !== undefined) await guest.ask({ method: 'DELETE', path })
    },
  },
  {
    name: 'wrong passphrases',
    step: ({ guest, target }) =>
      create(guest, target.gatedLink, { size: 1000, passphrase_proof: randomBytes(32).toString('base64') }),
  },
  {
    name: 'slow bodies',
    async step({ guest, target, signal }) {
      const path = await create(guest, target.link, { size: 8 * MEBIBYTE })
      const sockets: Socket[] = []
      const drip = setInterval(() => {
        for (const socket of sockets) if (!socket.destroyed) socket.write(' ')
      }, DRIP_MS)
      signal.addEventListener('abort', () => clearInterval(drip))
      for (let index = 0; index < SLOW_BODIES && !signal.aborted; index += 1) {
        const isChunk = path !== undefined && index === 0
        const head = isChunk ? `PATCH ${path}` : `POST /d/${target.link}`
        const kind = isChunk
          ? `content-type: application/octet-stream\r\nx-service-offset: 0\r\nx-service-checksum: ${'0'.repeat(64)}\r\n`
          : 'content-type: application/json\r\n'
        // Every other one is small enough to be read to its end, and holds memory for as long as it lasts.
        const bytes = index % 2 === 0 ? MEBIBYTE : ADMITTED_BODY_BYTES
        const length = `content-length: ${bytes}\r\n\r\n`
        const begun = BEGUN_BODY.subarray(0, bytes - LEFT_TO_DRIP)
        sockets.push(await guest.open(`${head} HTTP/1.1\r\n${guest.lines}${kind}${length}`, begun))
        await pause(OPEN_MS)
      }
      while (!signal.aborted && sockets.some((socket) => !socket.destroyed)) await pause(DRIP_MS)
      clearInterval(drip)
    },
  },
  {
    name: 'nested JSON',
    step: ({ guest, target }) =>
      guest.ask({
        method: 'POST',
        path: `/d/${target.link}`,
        headers: { 'content-type': 'application/json' },
        body: NESTED,
      }),
  },
  {
    name: 'huge names',
    step: ({ guest, target }) => create(guest, target.link, { size: 1000, suggested_filename: HUGE_NAME }),
  },
  {
    name: 'many connections',
    async step({ guest, target, signal }) {
      const half = `GET /d/${target.link} HTTP/1.1\r\n${guest.lines}`
      const texts = ['', half, `${half}x-a: `]
      for (let count = 0; count < IDLE_CONNECTIONS && !signal.aborted; count += 1) {
        await guest.open(texts[count % texts.length] ?? '')
        await pause(OPEN_MS)
      }
      for (let waited = 0; waited < HELD_DRIPS && !signal.aborted; waited += 1) await pause(DRIP_MS)
      guest.close()
    },
  },
  {
    name: 'slow readers',
    async step({ guest, target, signal }) {
      const { body } = await guest.ask({ method: 'GET', path: `/u/${target.link}` })
      const [script = `/u/${target.link}`] = /\/assets\/[^"]+\.js/.exec(body.toString()) ?? []
      const asked = `GET ${script} HTTP/1.1\r\n${guest.lines}\r\n`.repeat(UNREAD_ANSWERS)
      for (let count = 0; count < UNREAD_CONNECTIONS && !signal.aborted; count += 1) {
        ;(await guest.open(asked)).pause()
        await pause(OPEN_UNREAD_MS)
      }
      for (let waited = 0; waited < HELD_DRIPS && !signal.aborted; waited += 1) await pause(DRIP_MS)
      guest.close()
    },
  },
]

interface Running {
  /** Stops, and closes all connections. Resolves when no request is under way. */
  stop(): Promise<void>
}

interface Attacking extends Omit<Attacker, 'signal'> {
  readonly attack: Attack
  /** Pause between two steps. */
  readonly paceMs: number
}

/** Repeats the attack. A step that fails is followed by the next one. */
export function startAttack({ attack, guest, target, paceMs }: Attacking): Running {
  const stopping = new AbortController()
  const { signal } = stopping
  async function repeat(): Promise<void> {
    while (!signal.aborted) {
      await attack.step({ guest, target, signal }).catch(() => undefined)
      await pause(paceMs)
    }
  }
  const running = repeat()
  return {
    async stop() {
      stopping.abort()
      guest.close()
      await running
    },
  }
}

/** The path of the session; undefined when the server refused it. */
async function create(guest: Guest, link: string, changes: object): Promise<string | undefined> {
  const declared = { content_type: 'application/octet-stream', ciphertext_hash: '0'.repeat(64), kem_ct: KEM_CT }
  const { status, body } = await guest.askJson('POST', `/d/${link}`, { ...declared, ...changes })
  if (status !== 201) return undefined
  const { upload_id: uploadId }: { readonly upload_id: string } = JSON.parse(body.toString())
  return `/d/${link}/${uploadId}`
}

export function chunkOf(path: string, body: Uint8Array) {
  const position = { 'x-service-offset': '0', 'x-service-checksum': sha256(body) }
  return {
    method: 'PATCH',
    path,
    headers: { 'content-type': 'application/octet-stream', ...position },
    body,
  } as const
}
