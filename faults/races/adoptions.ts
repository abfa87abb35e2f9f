/** Many requests for one drop at the same time: adoptions into different assets, and discards. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import {
  type Author,
  adoptBody,
  type Bundle,
  getAsset,
  newBundle,
  receiptsOf,
  sendAdoption,
} from '../../conformance/assetWorld.ts'
import type { Reply } from '../../conformance/call.ts'
import { answerOf, tally } from '../../conformance/expect.ts'
import { asOwner, inboxOf, land, onlyDrop } from '../../conformance/world.ts'
import {
  clear,
  countOf,
  expectOnly,
  expectUse,
  indexesOf,
  newLinkOf,
  RACERS,
  type Race,
  race,
  raceSides,
  times,
} from './race.ts'

const NO_DROP = '404 drop.not_found'
const SIZE = 100
const LOSERS_CHECKED = 3
const BOTH = 2

/** A drop in the inbox, and adoptions of it into that many different assets. */
async function pendingDrop(author: Author, assets: number) {
  const { file } = await land(await newLinkOf(author), randomBytes(SIZE))
  const { drop_id: dropId } = await onlyDrop(author.owner)
  const bundles = Array.from({ length: assets }, () => newBundle(author, { original: file }))
  return {
    dropId,
    bundles,
    adoptions: bundles.map((bundle) => () => sendAdoption(author.owner, dropId, adoptBody(bundle))),
  }
}

/** Only the asset of the winning request exists. It has two receipts. Returns its id. */
async function expectAdopted(bundles: readonly Bundle[], replies: readonly Reply[]): Promise<readonly string[]> {
  const adopted = indexesOf(replies, '200').map((place) => bundles[place])
  const others = indexesOf(replies, NO_DROP).map((place) => bundles[place])
  for (const bundle of others.slice(0, LOSERS_CHECKED)) {
    assert.ok(bundle)
    assert.equal(answerOf(await getAsset(bundle)), '404 asset.not_found')
  }
  for (const bundle of adopted) {
    assert.ok(bundle)
    assert.equal(answerOf(await getAsset(bundle)), '200')
    assert.equal((await receiptsOf(bundle)).length, BOTH, 'one receipt of the landing, one of the adoption')
  }
  return adopted.flatMap((bundle) => bundle?.assetId ?? [])
}

const adoptions: Race = {
  name: 'adopt against adopt',
  async round({ author, random }) {
    const { bundles, adoptions: asks } = await pendingDrop(author, RACERS)
    const replies = await race(random, asks)
    assert.deepEqual(tally(replies), { 200: 1, [NO_DROP]: RACERS - 1 })
    const assetIds = await expectAdopted(bundles, replies)
    assert.deepEqual(await inboxOf(author.owner), [])
    await expectUse(author, SIZE)
    await clear(author, assetIds)
    return 'one adopted'
  },
}

/** A repeat that arrives while the adoption is under way joins it; a later one finds no drop. */
const repeats: Race = {
  name: 'one adoption many times',
  async round({ author, random }) {
    const { bundles, adoptions: asks } = await pendingDrop(author, 1)
    const [bundle] = bundles
    const [ask] = asks
    assert.ok(bundle && ask)
    const replies = await race(random, times(RACERS, ask))
    expectOnly(replies, ['200', NO_DROP])
    assert.ok(countOf(replies, '200') > 0)
    assert.equal((await receiptsOf(bundle)).length, BOTH)
    assert.deepEqual(await inboxOf(author.owner), [])
    await expectUse(author, SIZE)
    await clear(author, [bundle.assetId])
    return countOf(replies, '200') === 1 ? 'one got 200' : 'several got 200'
  },
}

const discards: Race = {
  name: 'adopt against discard',
  async round({ author, random }) {
    const { dropId, bundles, adoptions: asks } = await pendingDrop(author, RACERS / 2)
    const discard = () => asOwner(author.owner, 'DELETE', `/v1/drops/${dropId}`)
    const [adopted = [], discarded = []] = await raceSides(random, [asks, times(RACERS / 2, discard)])
    expectOnly(adopted, ['200', NO_DROP])
    expectOnly(discarded, ['204', NO_DROP])
    assert.equal(countOf(adopted, '200') + countOf(discarded, '204'), 1, 'exactly one request wins')
    const assetIds = await expectAdopted(bundles, adopted)
    assert.deepEqual(await inboxOf(author.owner), [])
    await expectUse(author, assetIds.length * SIZE)
    await clear(author, assetIds)
    return assetIds.length === 1 ? 'adopted' : 'discarded'
  },
}

export const ADOPTION_RACES: readonly Race[] = [adoptions, repeats, discards]
