import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readServerStatus } from '../domain/closing/serverStatus.ts'
import { createQuota } from '../domain/quota/quota.ts'
import { inWorld, newAccount } from '../testing/world.ts'
import { statusPage } from './statusPage.ts'

it(
  'the page has times to the minute, commands as code, and nothing of others as HTML',
  inWorld(async (world) => {
    await newAccount(world)
    const quota = createQuota({ softBytes: undefined, hardBytes: 0, graceDays: 14 })
    world.clock.advance(3 * 86_400)
    const around = { unready: ['<b>"&'], freeBytes: 5, floorBytes: 0 }
    const page = statusPage(await readServerStatus({ ...world, quota }, around))
    assert.match(page, /<p>As it was at \d{4}-\d\d-\d\d \d\d:\d\d UTC\./)
    assert.match(page, /there are accounts since \d{4}-\d\d-\d\d \d\d:\d\d UTC\./)
    assert.match(page, /<code>account list<\/code> shows them/)
    assert.match(page, /Not ready: &lt;b>&quot;&amp;\./)
    assert.doesNotMatch(page, /`|\d\.\d{3}Z/)
  }),
)
