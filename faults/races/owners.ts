/** Other requests of an owner's clients at the same time: deletions and verdicts, links, tokens. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { deleteAsset, landBlob, newBundle, sendJson } from '../../conformance/assetWorld.ts'
import { json, type Reply } from '../../conformance/call.ts'
import { answerOf, tally } from '../../conformance/expect.ts'
import { base64, linkBody, linksOf, sendLink, sha256, signIn, type Tokens } from '../../conformance/world.ts'
import { clear, expectUse, RACERS, type Race, race, raceSides, times } from './race.ts'

const SIZE = 100

/** Verdicts are of one moment: all stored or none known; always the latter after a deletion. */
const verdicts: Race = {
  name: 'delete against verify',
  async round({ author, random }) {
    const bundle = newBundle(author, { original: randomBytes(SIZE) })
    await landBlob(bundle)
    const hashes = [sha256(bundle.original)]
    let isDeleted = false
    const remove = async () => {
      const reply = await deleteAsset(bundle)
      isDeleted ||= reply.status === 204
      return reply
    }
    const wasDeleted = new Map<number, boolean>()
    const deepAt = random.integer(0, RACERS)
    const verify = (place: number) => {
      wasDeleted.set(place, isDeleted)
      const assets = [{ asset_id: bundle.assetId, blob_hashes: hashes }]
      return sendJson(author.owner, '/v1/storage/verify', { assets, deep: place === deepAt })
    }
    const deletions = random.integer(1, 8)
    const sides = [times(RACERS - deletions, verify), times(deletions, remove)]
    const [verified = [], removed = []] = await raceSides(random, sides)
    assert.deepEqual(tally(removed), { 204: 1, ...(deletions > 1 && { '404 asset.not_found': deletions - 1 }) })
    const durable = verified.map((reply, place) => verdictOf(reply, wasDeleted.get(place)))
    assert.equal(verdictOf(await verify(RACERS), true), false)
    await expectUse(author, 0)
    await clear(author)
    if (!durable.includes(true)) return 'none durable'
    return durable.includes(false) ? 'some durable' : 'all durable'
  },
}

interface Verdicts {
  readonly verdicts: readonly {
    readonly durable: boolean
    readonly blobs: readonly { readonly role: string; readonly stored: boolean; readonly indexed: boolean }[]
  }[]
}

/** Whether the only verdict is durable. */
function verdictOf(reply: Reply, wasDeleted = false): boolean {
  assert.equal(answerOf(reply), '200')
  const [verdict] = json<Verdicts>(reply).verdicts
  const [blob] = verdict?.blobs ?? []
  assert.ok(verdict && blob)
  const isDurable = verdict.durable
  if (isDurable) assert.ok(blob.role === 'original' && blob.stored && blob.indexed, JSON.stringify(verdict))
  assert.ok(!(isDurable && wasDeleted), 'durable after its deletion was acknowledged')
  return isDurable
}

const provisions: Race = {
  name: 'one opaque_id by two owners',
  async round({ author, rival, random }) {
    const body = linkBody()
    const owners = [author.owner, rival.owner]
    const bodies = owners.map(() => ({ ...body, drop_pubkey: base64(64) }))
    const sides = owners.map((owner, side) => times(RACERS / 2, () => sendLink(owner, bodies[side])))
    const answers = (await raceSides(random, sides, [2, 2])).map(tally)
    const [won, lost] = [{ 201: RACERS / 2 }, { '400 drop.opaque_id_taken': RACERS / 2 }]
    const isAuthors = answers[0]?.['201'] !== undefined
    assert.deepEqual(answers, isAuthors ? [won, lost] : [lost, won], 'all of one owner win, none of the other')
    const lists = await Promise.all(owners.map(linksOf))
    const found = lists.map((links) => links.some(({ opaque_id }) => opaque_id === body.opaque_id))
    assert.deepEqual(found, [isAuthors, !isAuthors])
    await clear(author)
    await clear(rival)
    return isAuthors ? 'one owner' : 'the other owner'
  },
}

/** A repeated refresh gets the same answer; after sign-out there is none. */
const refreshes: Race = {
  name: 'refresh',
  async round({ author, client, random }) {
    const refresh = (refresh_token: string) =>
      client.send({ method: 'POST', path: '/v1/auth/refresh', json: { refresh_token } })
    const session = await signIn(author.owner)
    const replies = await race(
      random,
      times(RACERS, () => refresh(session.refreshToken)),
    )
    assert.deepEqual(tally(replies), { 200: RACERS })
    const [successor, ...others] = new Set(replies.map((reply) => json<Tokens>(reply).refresh_token))
    assert.ok(successor !== undefined && others.length === 0, 'one rotation')
    assert.notEqual(successor, session.refreshToken)
    assert.equal(answerOf(await refresh(successor)), '200')
    assert.equal(answerOf(await client.send({ method: 'POST', path: '/v1/auth/logout', token: session.token })), '204')
    assert.equal(answerOf(await refresh(successor)), '401 auth.session_expired')
    return 'one rotation'
  },
}

export const OWNER_RACES: readonly Race[] = [verdicts, provisions, refreshes]
