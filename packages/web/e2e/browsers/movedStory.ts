/** A server moves to another address, and people go on in a browser with what they have from the old one. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { it } from 'node:test'
import { moveServer, reachedAt } from '../../../../testing/moveServer.ts'
import { liveAtOld, PASSPHRASE, PASSWORD } from '../../../../testing/moveStory.ts'
import { account } from '../../src/text/en/account.ts'
import { guest } from '../../src/text/en/guest.ts'
import { inbox } from '../../src/text/en/inbox.ts'
import { links } from '../../src/text/en/links.ts'
import { moving } from '../../src/text/en/moving.ts'
import { owner as shell } from '../../src/text/en/owner.ts'
import { share } from '../../src/text/en/share.ts'
import type { Target } from './find.ts'
import { arrive, startAtOld } from './formerNameStory.ts'
import type { StoryBrowser } from './port.ts'
import { openPage, type StoryPage } from './storyPage.ts'

const button = (name: string | RegExp): Target => ({ role: 'button', name })
const field = (name: string): Target => ({ role: 'field', name })

export function movedStory(browser: StoryBrowser): void {
  it('lets guest, receiver and owner use at the new address what was made at the old one', async (t) => {
    const { server, old, present } = await startAtOld(t)
    const before = await liveAtOld(reachedAt(old, server), old)
    await moveServer(server, present)
    const atPresent = (url: string) => url.replace(old, present)

    const page = await openPage(browser, { url: before.linkUrl, leadsTo: [present] })
    t.after(() => page.close())
    t.diagnostic(page.tab.version)
    const later = new Uint8Array(randomBytes(1000))
    await sendGated(page, { 'later.bin': later })
    const sentRow: Target = { css: '.queue li', text: 'later.bin' }
    await page.click({ css: 'summary', text: /^Receipt checked/, within: sentRow })
    await page.see({ text: guest.receipt.both, within: sentRow })
    await page.see({ text: present, within: sentRow })
    await page.look('moved-receipt')

    await arrive(page, before.shareUrl, atPresent(before.shareUrl))
    await page.fill(field(share.asked.passphrase), PASSPHRASE)
    await page.click(button(share.asked.open))
    const shared = await page.saved(() => page.click(button(share.saveOf('photo.jpg'))), before.asset.content.length)
    assert.ok(Buffer.from(shared.bytes).equals(before.asset.content))

    await arrive(page, `${old}/#/inbox`, `${present}/#/inbox`)
    await page.see({ text: moving.former.passkeys })
    await page.look('moved-sign-in')
    await page.fill(field(account.email), before.owner.email)
    await page.fill(field(account.password), PASSWORD)
    await page.click(button(account.signIn.submit))
    await page.fill(field(account.secondStep.code), before.authenticator.next())
    await page.click(button(account.secondStep.submit))
    await page.click(button(moving.look.done))
    for (const [name, content] of [['papers.zip', before.drop.content] as const, ['later.bin', later] as const]) {
      const saved = await page.saved(() => page.click(button(inbox.downloadOf(name))), content.length)
      assert.ok(Buffer.from(saved.bytes).equals(content), name)
    }
    await page.look('moved-inbox')
    await page.click({ role: 'link', name: shell.pages.links })
    await page.click(button(/^Show link/))
    assert.equal((await page.see({ css: '.link-shown' })).text, atPresent(before.linkUrl))
    await page.click({ ...button(links.close), within: { css: 'dialog' } })

    await page.click({ role: 'link', name: shell.pages.account })
    await page.click(button(shell.signOut))
    await page.click({ role: 'link', name: account.signIn.recover })
    await page.fill(field(account.recover.words), before.words.join(' '))
    await page.fill(field(account.email), before.owner.email)
    for (const name of [account.newPassword, account.repeatPassword]) await page.fill(field(name), `${PASSWORD}, again`)
    await page.click(button(account.recover.submit))
    await page.click(button(account.secondStep.useBackup))
    await page.fill(field(account.secondStep.backupCode), before.backupCodes[0] ?? '')
    await page.click(button(account.secondStep.submit))
    await page.see({ text: account.recover.done })
    assert.equal(await page.tab.run(() => location.origin), present)
  })
}

/** Through a link that asks for the passphrase. */
async function sendGated(page: StoryPage, files: Readonly<Record<string, Uint8Array>>): Promise<void> {
  await page.see({ text: 'Your tax papers' })
  await page.choose({ role: 'file', name: guest.choose.files }, files)
  await page.fill(field(guest.message.passphrase), PASSPHRASE)
  await page.click(button(/^Send \d/))
  await page.see({ text: 'This browser checked the signatures.' })
}
