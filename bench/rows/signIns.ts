/** P17: sign-ins, each with its nonce, beside bare Node that checks a signature, and that hashes a secret. */
import { join } from 'node:path'
import { type Key, proofOf } from '../../conformance/proving.ts'
import { drive, expectStatus, requestOf } from '../load.ts'
import { newCredentials, newOwner } from '../owner.ts'
import { startBlindkeep, startPeer } from '../processes.ts'
import type { Lane, Row, RowOptions } from '../row.ts'

const CLIENTS = 16
const NONCE = requestOf({ method: 'POST', path: '/v1/auth/nonce' })
const LOGIN = { method: 'POST', path: '/v1/auth/login' } as const
/** Each has fewer sessions than it may have, so that none has to end. */
const SIGN_INS_OF_ACCOUNT = 20

interface Person {
  readonly email: string
  readonly key: Key
}

export const signIns: Row = {
  name: 'sign-ins',
  ids: ['P17'],
  what: 'sign-ins, a nonce and a proof each, 16 connections',
  async open(options) {
    const count = options.isQuick ? 40 : 2000
    const people = Array.from({ length: Math.ceil(count / SIGN_INS_OF_ACCOUNT) }, newCredentials)
    // Of so many addresses that none reaches its limit.
    const server = await startBlindkeep(options, { TRUST_PROXY: '127.0.0.1' })
    for (const person of people) await newOwner(server, person)
    const own = signInLane({ name: 'sign-ins', port: server.port, serverId: server.url, count, people })
    const signed = await peerLane(options, { name: 'bare Node, signatures', check: 'ed25519', count, people })
    const hashed = await peerLane(options, { name: 'bare Node, Argon2id', check: 'argon2', count: count / 10, people })
    return {
      unit: '/s',
      lanes: [own, signed, hashed],
      comparisons: [
        { id: 'P17', lane: own, beside: signed, reach: 0.5 },
        { id: 'P17', lane: own, beside: hashed },
      ],
    }
  },
}

interface Peer {
  readonly name: string
  readonly check: 'ed25519' | 'argon2'
  readonly count: number
  readonly people: readonly Person[]
}

async function peerLane(options: RowOptions, { name, check, count, people }: Peer): Promise<Lane> {
  const argument = join(options.directory, `${check}.sqlite`)
  const port = await startPeer(options, 'bareSignIns', argument, check)
  return signInLane({ name, port, serverId: 'http://bare.example', count, people })
}

interface SignInLane {
  readonly name: string
  readonly port: number
  readonly serverId: string
  readonly count: number
  readonly people: readonly Person[]
}

function signInLane({ name, port, serverId, count, people }: SignInLane): Lane {
  return {
    name,
    async measure() {
      const { seconds, loadBusy } = await drive({
        port,
        clients: CLIENTS,
        count,
        async work(connection, index) {
          const { email, key } = people[index % people.length] ?? newCredentials()
          const given: { readonly nonce: string } = JSON.parse(
            expectStatus(await connection.ask(NONCE), 200).body.toString(),
          )
          const members = { email }
          const proof = proofOf(key, { label: 'service/proof/1', ...LOGIN, serverId, nonce: given.nonce, members })
          const headers = { 'content-type': 'application/json', 'x-forwarded-for': addressOf(index) }
          const body = Buffer.from(JSON.stringify({ ...members, proof }))
          expectStatus(await connection.ask(requestOf({ ...LOGIN, headers, body })), 200)
        },
      })
      return { value: count / seconds, loadBusy }
    },
  }
}

const addressOf = (index: number) => `198.18.${(index >> 8) % 256}.${index % 256}`
