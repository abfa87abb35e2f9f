/** An owner with an inbox: reads, compares, discards and revokes while guests send and the server dies. */
import { inspect } from 'node:util'
import { type Api, jsonOf, pause, type Reply } from './api.ts'
import { isAdopted } from './assets/assetLedger.ts'
import { type Attempt, describeAttempt, isOver, type Ledger, type Link, type Owner } from './ledger.ts'
import type { Moments } from './moments.ts'
import { type Random, randomContent, sha256 } from './random.ts'
import { isRefusedForSpace } from './uploadRules.ts'

export interface OwnerPorts {
  readonly api: Api
  readonly ledger: Ledger
  readonly moments: Moments
  readonly isDiskTroubled: () => boolean
  /** With more bytes than this in the inbox, the owner always discards. */
  readonly pendingBytesTarget: number
}

export interface InboxEntry {
  readonly drop_id: string
  readonly opaque_id: string
  readonly ciphertext_hash: string
  readonly size: number
  readonly adopting: boolean
}

const MAX_RETIRED_LINKS = 100

export async function runOwner(
  ports: OwnerPorts,
  owner: Owner,
  random: Random,
  isStopping: () => boolean,
): Promise<void> {
  const { api, ledger, pendingBytesTarget } = ports
  for (let index = 0; !isStopping(); index++) {
    const own = random.fork(String(index))
    try {
      const entries = await readInbox(ports, owner)
      const bytes = entries.reduce((sum, { size }) => sum + size, 0)
      if (entries.length > 0 && own.chance(0.25)) await compareContent(ports, owner, own.pick(entries), api.ask)
      if (entries.length > 0 && own.chance(bytes > pendingBytesTarget ? 1 : 0.3))
        for (let round = bytes > pendingBytesTarget ? 8 : 1; round > 0; round--)
          await discard(ports, owner, own.pick(entries))
      const links = linksOf(ledger, owner)
      if (links.length > 0 && own.chance(0.03)) await discardPile(ports, own.pick(links))
      await revokeSome(ports, owner, own)
    } catch (error) {
      ledger.fault(`an owner: ${inspect(error)}`)
    }
    await pause(own.integer(10, 120))
  }
}

function linksOf(ledger: Ledger, owner: Owner): readonly Link[] {
  return ledger.links.filter((link) => link.owner === owner)
}

/** Fetches the inbox, and compares it with what was acknowledged before the request. */
export async function readInbox(
  { api, ledger }: Pick<OwnerPorts, 'api' | 'ledger'>,
  owner: Owner,
): Promise<readonly InboxEntry[]> {
  const own = ledger.attempts.filter(({ link, dropId }) => link.owner === owner && dropId !== undefined)
  const landed = own.filter((attempt) => attempt.landed === 'acknowledged' && !mayHaveLeft(attempt))
  const removed = own.filter((attempt) => attempt.discarded === 'acknowledged' || isAdopted(attempt))
  const reply = await api.askUntilAnswered({ method: 'GET', path: '/v1/drops', token: owner.token })
  if (reply.status !== 200) throw new Error(`the inbox was answered ${reply.status} ${reply.code}`)
  const { drops } = jsonOf<{ drops: InboxEntry[] }>(reply)
  const present = new Set(drops.map(({ drop_id }) => drop_id))
  for (const attempt of landed) {
    const isThere = attempt.dropId !== undefined && present.has(attempt.dropId)
    if (!isThere && !mayHaveLeft(attempt)) ledger.fault(`not in the inbox: ${describeAttempt(attempt)}`)
  }
  for (const attempt of removed) {
    if (attempt.dropId !== undefined && present.has(attempt.dropId))
      ledger.fault(`a discarded or adopted drop is in the inbox: ${describeAttempt(attempt)}`)
  }
  return drops
}

/** A discard or an adoption may have removed it from the inbox. */
function mayHaveLeft({ discarded, adoptions }: Attempt): boolean {
  return discarded !== 'no' || adoptions.length > 0
}

/** Downloads the bytes of a drop. A discard or an adoption may remove it meanwhile. */
export async function compareContent(
  { api, ledger }: Pick<OwnerPorts, 'api' | 'ledger'>,
  owner: Owner,
  entry: InboxEntry,
  ask: Api['ask'] = api.askUntilAnswered,
): Promise<void> {
  const reply = await ask({ method: 'GET', path: `/v1/drops/${entry.drop_id}/content`, token: owner.token })
  if (reply === undefined) return
  const attempt = attemptOf(ledger, entry)
  if (reply.status === 404 && attempt !== undefined && mayHaveLeft(attempt)) return
  ledger.counts.contentsCompared++
  if (reply.status !== 200) ledger.fault(`content was answered ${reply.status} ${reply.code}: ${entry.drop_id}`)
  else if (!isOf(entry, attempt, reply.body)) ledger.fault(`content has other bytes: ${entry.drop_id}`)
}

/** Of a known file, whose hash the entry has, the bytes themselves are compared, which takes less time than a hash. */
function isOf({ ciphertext_hash: hash }: InboxEntry, attempt: Attempt | undefined, body: Buffer): boolean {
  return attempt === undefined ? sha256(body) === hash : randomContent(attempt.name, attempt.size).equals(body)
}

/** By link and hash: all files of the harness differ, except those of one byte. */
function attemptOf(ledger: Ledger, entry: InboxEntry): Attempt | undefined {
  const alike = ledger.attempts.filter(
    ({ link, hash, dropId }) =>
      link.opaqueId === entry.opaque_id &&
      hash === entry.ciphertext_hash &&
      (dropId ?? entry.drop_id) === entry.drop_id,
  )
  return alike.find(({ dropId }) => dropId === entry.drop_id) ?? alike[0]
}

/** One try. The ledger changes only when the server acknowledges the discard. */
export async function discard(ports: OwnerPorts, owner: Owner, entry: InboxEntry): Promise<void> {
  const { api, ledger, moments } = ports
  const attempt = attemptOf(ledger, entry)
  // Two files of one byte may be equal, and without a receipt they are indistinguishable.
  if (attempt?.dropId !== entry.drop_id) return
  const isFirst = attempt.discarded === 'no'
  if (isFirst) attempt.discarded = 'asked'
  moments.note('discard sent')
  const reply = await api.ask({ method: 'DELETE', path: `/v1/drops/${entry.drop_id}`, token: owner.token })
  if (reply === undefined || isRefusedForSpace(ports, reply)) return
  // An adoption holds the drop or has adopted it: this request has discarded nothing, but an earlier request may have.
  if (reply.status === 404 && attempt.adoptions.length > 0) {
    if (isFirst) attempt.discarded = 'no'
    return
  }
  if (reply.status === 204) ledger.counts.discards++
  else if (reply.status !== 404 || isFirst)
    return ledger.fault(`a discard was answered ${reply.status}: ${describeAttempt(attempt)}`)
  if (isAdopted(attempt))
    ledger.fault(`both its adoption and its discard were acknowledged: ${describeAttempt(attempt)}`)
  attempt.discarded = 'acknowledged'
}

/** Discards all drops of a link. Drops that land meanwhile may or may not be discarded. */
async function discardPile(ports: OwnerPorts, link: Link): Promise<void> {
  const { api, ledger, moments } = ports
  const landedBefore = link.attempts.filter(({ landed }) => landed === 'acknowledged')
  const mark = () => {
    for (const attempt of link.attempts) if (attempt.discarded === 'no') attempt.discarded = 'asked'
  }
  mark()
  moments.note('discard sent')
  const reply = await api.ask({
    method: 'DELETE',
    path: `/v1/drops?opaque_id=${link.opaqueId}`,
    token: link.owner.token,
  })
  // Also the attempts that began meanwhile.
  mark()
  if (reply === undefined || isRefusedForSpace(ports, reply)) return
  if (reply.status !== 204) return ledger.fault(`a pile was answered ${reply.status}`)
  // A drop with an adoption is not discarded.
  for (const attempt of landedBefore) if (attempt.adoptions.length === 0) attempt.discarded = 'acknowledged'
}

/** Revokes retired links, and sometimes one with open sessions. */
async function revokeSome(ports: OwnerPorts, owner: Owner, random: Random): Promise<void> {
  const links = linksOf(ports.ledger, owner).filter(({ revoked }) => revoked !== 'acknowledged')
  const retired = links.filter(({ isRetired }) => isRetired)
  if (retired.length > MAX_RETIRED_LINKS) for (const link of retired.slice(0, 10)) await revoke(ports, link)
  const busy = links.filter(({ attempts }) => attempts.some((attempt) => attempt.created !== 'no' && !isOver(attempt)))
  if (random.chance(0.06) && busy.length > 0) await revoke(ports, random.pick(busy))
}

async function revoke(ports: OwnerPorts, link: Link): Promise<void> {
  const { api, ledger, moments } = ports
  if (link.revoked === 'no') link.revoked = 'asked'
  link.isRetired = true
  moments.note('revoke sent')
  const reply: Reply | undefined = await api.ask({
    method: 'DELETE',
    path: `/v1/drops/links/${link.opaqueId}`,
    token: link.owner.token,
  })
  if (reply === undefined || isRefusedForSpace(ports, reply)) return
  if (reply.status !== 204) return ledger.fault(`a revocation was answered ${reply.status}`)
  link.revoked = 'acknowledged'
  ledger.counts.revocations++
}
