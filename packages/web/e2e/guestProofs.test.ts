/** Proofs on the guest's page: their words before they are saved, and what is left of them afterwards. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkFile, checkSigned, readProofs } from '@blindkeep/client/fileProof'
import { nodeEnvironment } from '@blindkeep/client/node'
import { parsePublishedKeys } from '@blindkeep/client/receipts'
import { sourceOfBytes } from '@blindkeep/client/source'
import type { Page } from 'playwright-core'
import { guest } from '../src/text/en/guest.ts'
import { proof as text } from '../src/text/en/proof.ts'
import { assertAccessible } from './axe.ts'
import { useBrowser } from './browser.ts'
import { allArrived, button, choose, MIB, rowOf, sendChosen, someFile } from './guestPage.ts'
import { savedBy } from './saved.ts'
import { useWorld } from './world.ts'

const browser = useBrowser()
const world = useWorld()

/** All that the browser stores for the origin, as text; bytes in base64. */
function storedBy(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const answerTo = <Value>(request: IDBRequest<Value>) =>
      new Promise<Value>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    const found: unknown[] = [{ ...localStorage }, { ...sessionStorage }, history.state]
    for (const { name = '' } of await indexedDB.databases()) {
      const database = await answerTo(indexedDB.open(name))
      for (const store of database.objectStoreNames)
        found.push(name, store, await answerTo(database.transaction(store).objectStore(store).getAll()))
      database.close()
    }
    for (const name of await caches.keys())
      for (const request of await (await caches.open(name)).keys()) found.push(name, request.url)
    return JSON.stringify(found, (_, value) =>
      value instanceof Uint8Array ? btoa(String.fromCharCode(...value)) : value,
    )
  })
}

async function assertNarrow(page: Page): Promise<void> {
  await page.setViewportSize({ width: 320, height: 700 })
  const widths = await page.evaluate(() =>
    [document.documentElement, document.querySelector('dialog')].map((one) => (one ? one.scrollWidth : 0)),
  )
  assert.ok(
    widths.every((width) => width <= 320),
    `${widths}`,
  )
}

describe('proofs about sent files', () => {
  it('are offered apart from the receipts, with what their readers read, and hold with the keys of the server', async (t) => {
    const { url } = await world.link()
    const { page } = await browser.open(t, { url, colorScheme: 'dark' })
    const scripts: string[] = []
    page.on('request', (request) => scripts.push(request.url()))
    const sent = [someFile('contract.pdf', 2 * MIB), someFile('plan.pdf', 3000)]
    await choose(page, sent)
    await page.getByLabel('Message', { exact: true }).fill('Signed,\nas agreed')
    await page.getByLabel('Your name').fill('Ada \u202Exe')
    await sendChosen(page)
    await allArrived(page)
    const isProofCode = (address: string) => /(proofDialog|makeProof)-/.test(address)
    assert.deepEqual(scripts.filter(isProofCode), [], 'nothing for proofs is loaded before they are wanted')

    await button(page, guest.receipt.proofs).click()
    const dialog = page.getByRole('dialog', { name: text.title })
    await dialog.getByText(text.reads(2)).waitFor()
    assert.equal(scripts.filter(isProofCode).length, 2)
    const words = await dialog.innerText()
    for (const word of [
      'Ada',
      'Signed,',
      'as agreed',
      '2 files',
      'contract.pdf',
      'plan.pdf',
      guest.receipt.proofShows,
      guest.receipt.proofHides,
      text.key,
    ])
      assert.ok(words.includes(word), word)
    await assertAccessible(page)
    await assertNarrow(page)
    await assertAccessible(page)
    const saved = await savedBy(page, () => button(page, text.save(2)).click())
    await dialog.waitFor({ state: 'detached' })
    await page.locator(':focus').and(button(page, guest.receipt.proofs)).waitFor()

    const published = await fetch(`${world.url}/.well-known/service/attestation-keys`)
    const keys = await parsePublishedKeys(await published.json())
    const secrets: string[] = []
    for await (const proof of readProofs(new Blob([Buffer.from(saved.bytes)]).stream())) {
      const signed = await checkSigned(proof, { keys, serverId: world.url })
      const { name, sender, note } = await checkFile({
        ...{ proof, signed, environment: nodeEnvironment },
        source: sourceOfBytes(sent[secrets.length / 2]?.buffer ?? Buffer.alloc(0)),
      })
      assert.deepEqual([name, sender, note], [sent[secrets.length / 2]?.name, 'Ada \u202Exe', 'Signed,\nas agreed'])
      secrets.push(proof.file?.opening?.secret ?? '', proof.file?.opening?.prefix ?? '')
    }
    assert.equal(secrets.length, 4)

    const stored = await storedBy(page)
    assert.ok(stored.includes('contract.pdf') && secrets.every((secret) => secret.length > 80))
    for (const secret of secrets) assert.ok(!stored.includes(secret))
    assert.doesNotMatch(stored, /"(key|kemCt|tags|secret|prefix)"/)
    await page.emulateMedia({ media: 'print' })
    const printed = await page.locator('.print-sheet').innerText()
    assert.ok(printed.includes(guest.receipt.proofIs(saved.name)))
    for (const secret of secrets) assert.ok(!printed.includes(secret.slice(0, 40)))
    await page.emulateMedia({ media: 'screen' })

    await button(page, guest.forget.open).click()
    await page.getByText(guest.forget.keys).waitFor()
    await button(page, guest.forget.no).click()
    await page.reload()
    await page.getByText(guest.receipt.proofTooLate).waitFor()
    await button(page, guest.receipt.saveAll(2)).waitFor()
    assert.equal(await button(page, guest.receipt.proofs).count(), 0)
    await assertAccessible(page)
  })

  it('are saved for one file, and cancelled without a trace', async (t) => {
    const { url } = await world.link()
    const { page } = await browser.open(t, { url, device: 'phone' })
    await choose(page, [someFile('a.pdf', 100), someFile('b.pdf', 200)])
    await sendChosen(page)
    await allArrived(page)
    await rowOf(page, 'b.pdf').locator('summary').click()
    await rowOf(page, 'b.pdf').getByRole('button', { name: guest.receipt.proof }).click()
    const dialog = page.getByRole('dialog', { name: text.title })
    await dialog.getByText(text.reads(1)).waitFor()
    assert.equal(await dialog.getByText('a.pdf').count(), 0)
    await button(page, text.cancel).click()
    await dialog.waitFor({ state: 'detached' })
    await rowOf(page, 'b.pdf').getByRole('button', { name: guest.receipt.proof }).click()
    const { name, bytes } = await savedBy(page, () => button(page, text.save(1)).click())
    assert.equal(name, 'blindkeep-proof-b.pdf.json')
    assert.equal(JSON.parse(Buffer.from(bytes).toString()).file.name, 'b.pdf')
  })
})
