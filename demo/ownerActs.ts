import { createHash } from 'node:crypto'
import { logIn, registerOwner } from '@blindkeep/client/account'
import { systemEnvironment } from '@blindkeep/client/environment'
import { nodeEnvironment as environment } from '@blindkeep/client/node'
import type { CreatedLink, InboxItem, Owner } from '@blindkeep/client/owner'
import type { DemoFile } from './files.ts'
import { type Story, sizeOf } from './story.ts'

/** Olga's credentials on every machine. */
export const SIGN_IN = { email: 'olga@example.org', password: 'a long sentence that only Olga knows' }
/** Olga gives it to Gustav by another channel than the link. */
export const PASSPHRASE = 'the name of her first dog'

/** Registers, then signs in again as on another machine, so that the account key comes from the server. */
export async function ownerRegisters(story: Story, baseUrl: string): Promise<Owner> {
  return story.step('Olga registers, and signs in again as if on another machine.', async () => {
    const signIn = { ...SIGN_IN, baseUrl, environment }
    // Stretches the password in JavaScript, as a browser does; the second sign-in and the guests use Node's own
    // functions.
    const registered = await registerOwner({ ...signIn, environment: systemEnvironment })
    const { owner } = await logIn(signIn)
    if (owner === undefined) throw new Error('she was asked for a second factor, which she has not turned on')
    const isSame = Buffer.compare(owner.accountKey, registered.accountKey) === 0
    story.check(isSame, 'the account key came back, sealed under her password, which the server never saw')
    const { used } = await owner.quota()
    story.check(used === 0, 'she uses 0 bytes')
    return owner
  })
}

export async function ownerMakesLink(story: Story, owner: Owner): Promise<CreatedLink> {
  return story.step('Olga makes an upload link: 3 files, 400 MB in all, with a passphrase.', async () => {
    const caps = { maxFileCount: 3, maxTotalBytes: 400_000_000, maxFileSize: 350_000_000 }
    const link = await owner.createLink({ caps, passphrase: PASSPHRASE, label: 'for Gustav' })
    story.say(`${link.url.slice(0, link.url.indexOf('#') + 9)}…`)
    story.say('The part after # stays between the two of them: the server never sees it.')
    return link
  })
}

/** Lists, opens and compares all drops; returns the list. */
export async function ownerOpensAll(
  story: Story,
  owner: Owner,
  files: readonly DemoFile[],
): Promise<readonly InboxItem[]> {
  return story.step(
    'Olga lists her inbox, opens every file as a stream and compares it with what Gustav sent.',
    async () => {
      const items = await owner.inbox()
      story.check(items.length === files.length, `${files.length} drops are in the inbox, each once`)
      for (const [index, file] of files.entries()) {
        const item = items[index]
        if (item === undefined) continue
        story.say(`${item.file?.name ?? item.fault?.message} — from ${item.file?.sender}: “${item.file?.note}”`)
        story.check(item.file?.name === file.name, 'the true name, which the server never saw')
        const opened = await owner.openDrop(item)
        const { hash, bytes } = await hashOf(opened.content)
        story.check(
          hash === file.hash && bytes === file.size,
          `${sizeOf(bytes)} opened: the same SHA-256 as the file that was sent`,
        )
      }
      const [link] = await owner.listLinks()
      story.check(
        link?.label === 'for Gustav' && link.landedFiles === files.length && link.openSessions === 0,
        `the link “${link?.label}” shows ${link?.landedFiles} files, ${sizeOf(link?.landedBytes ?? 0)}, and no open upload`,
      )
      return items
    },
  )
}

export async function ownerDiscards(story: Story, owner: Owner, items: readonly InboxItem[]): Promise<void> {
  await story.step('Olga discards the largest drop.', async () => {
    const sum = items.reduce((bytes, { sealedBytes }) => bytes + sealedBytes, 0)
    const before = await owner.quota()
    story.check(before.used === sum, `before: ${sizeOf(before.used)} used, the sum of the drops`)
    const largest = items.toSorted((a, b) => b.sealedBytes - a.sealedBytes)[0]
    if (largest === undefined) return
    await owner.discardDrop(largest.dropId)
    const { bin } = await owner.quota()
    story.check(bin === largest.sealedBytes, `${sizeOf(bin)} of it are in the bin, and she could undo it`)
    await owner.emptyBin()
    const after = await owner.quota()
    story.check(after.used === sum - largest.sealedBytes, `after emptying the bin: ${sizeOf(after.used)} used`)
    const left = await owner.inbox()
    story.check(left.length === items.length - 1, `${left.length} drops are left`)
  })
}

export async function ownerLeaves(story: Story, owner: Owner): Promise<void> {
  await story.step('Olga signs out.', async () => {
    await owner.logOut()
    const isOver = await owner.quota().then(
      () => false,
      () => true,
    )
    story.check(isOver, 'after that, the server refuses her requests')
  })
}

export async function hashOf(content: ReadableStream<Uint8Array>): Promise<{ hash: string; bytes: number }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const piece of content) {
    hash.update(piece)
    bytes += piece.length
  }
  return { hash: hash.digest('hex'), bytes }
}
