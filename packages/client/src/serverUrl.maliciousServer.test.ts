/** Requests go through another program, at an address of its own. All else is bound to the server's public URL. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { changeBody, isRequest } from '../../../testing/maliciousServer.ts'
import { logIn, registerOwner, resumeOwner } from './account.ts'
import { openLink, parseSendState, send } from './guest.ts'
import { AddressError } from './http/errors.ts'
import { fetchReceipt } from './receipts.ts'
import { newRecoveryWords, recover } from './recovery.ts'
import { sourceOfBytes } from './seal/source.ts'
import { openShare } from './share.ts'
import { atServerInfo, HONEST, MALICIOUS, serverInfoWith, startTwoServers } from './testing/twoServers.ts'
import { AuditError } from './verify/audit.ts'

const { honest, malicious, environment } = await startTwoServers()
/** Between stands the proxy: at loopback, where a server may otherwise name another loopback address. */
const there = { baseUrl: honest.url, serverUrl: HONEST, environment }
const person = { email: 'ada@example.org', password: 'a long sentence of hers' }
let owner: Awaited<ReturnType<typeof registerOwner>>

before(async () => {
  owner = await registerOwner({ ...person, ...there })
})

describe('with serverUrl', () => {
  it('a link names it, and so does the list of links, although requests go elsewhere', async () => {
    const { url, opaqueId } = await owner.createLink()
    const [listed] = await owner.listLinks()
    assert.ok(url.startsWith(`${HONEST}/u/${opaqueId}#`), url.slice(0, 40))
    assert.equal(listed?.url, url)
  })

  it('a share names it, and an upload that is continued belongs to it', async () => {
    const { albumId: album } = await owner.createAlbum({ name: 'Album' })
    const device = await owner.addDevice(undefined, { tie: false })
    const source = sourceOfBytes(new Uint8Array(randomBytes(50)))
    const state = await owner.prepareUpload({ source, album, device })
    assert.equal(state.baseUrl, HONEST)
    const { assetId } = await owner.finishUpload({ state, source })
    const { url } = await owner.createShare([assetId])
    const [listed] = await owner.listShares()
    assert.ok(url.startsWith(`${HONEST}/v/`), url.slice(0, 40))
    assert.equal(listed?.url, url)
  })

  it('a guest’s link, file and receipt are of it, and so is a share, although requests go elsewhere', async () => {
    const partsOf = (url: string, serverUrl = HONEST) => {
      const [, opaqueId = '', fragment = ''] = /([^/]+)#(.+)$/.exec(url) ?? []
      return { baseUrl: honest.url, serverUrl, opaqueId, fragment }
    }
    const { url } = await owner.createLink()
    const source = sourceOfBytes(new Uint8Array(randomBytes(50)))
    const state = await (await openLink(partsOf(url), environment)).prepare({ source, name: 'a' })
    assert.deepEqual([state.baseUrl, state.serverUrl], [honest.url, HONEST])
    const landed = await send({ state: parseSendState(JSON.parse(JSON.stringify(state))), source, environment })
    const custody = { ...landed, ...partsOf(url) }
    assert.equal((await fetchReceipt({ custody, environment })).keys.serverId, HONEST)
    const isRefusal = (error: unknown) => error instanceof AddressError && error.given === MALICIOUS
    await assert.rejects(openLink(partsOf(url, MALICIOUS), environment), isRefusal)
    await assert.rejects(fetchReceipt({ custody: { ...custody, serverUrl: MALICIOUS }, environment }), isRefusal)

    const { albumId: album } = await owner.createAlbum({ name: 'Shared' })
    const device = await owner.addDevice(undefined, { tie: false })
    const { assetId } = await owner.upload({ source, album, device })
    const share = partsOf((await owner.createShare([assetId])).url)
    assert.equal((await openShare(share, environment)).assets.length, 1)
    honest.tamper({
      matches: () => true,
      answer: () => ({ status: 307, headers: { location: MALICIOUS }, body: Buffer.alloc(0) }),
    })
    await assert.rejects(openShare(share, environment), { failure: 'redirected', given: HONEST })
  })

  it('receipts of that server are accepted, and those of another one are not', async () => {
    const { albumId: album } = await owner.createAlbum({ name: 'Album' })
    const device = await owner.addDevice(undefined, { tie: false })
    const { assetId } = await owner.upload({ source: sourceOfBytes(new Uint8Array(9)), album, device })
    const { keys } = await owner.assetReceipts(assetId)
    assert.equal(keys.serverId, HONEST)
    const { email, accountKey } = owner
    const other = resumeOwner({ ...there, email, accountKey, tokens: owner.tokens(), serverUrl: MALICIOUS })
    await assert.rejects(other.assetReceipts(assetId), AddressError)
    const asMalicious = changeBody((body) => void Object.assign(body, { server_id: MALICIOUS }))
    honest.tamper(
      { matches: atServerInfo, answer: asMalicious },
      { matches: isRequest('GET', /\/attestation-keys$|\/moves$/), answer: asMalicious },
    )
    await assert.rejects(
      other.assetReceipts(assetId),
      (error) => error instanceof AuditError && ['wrong_server', 'keys_malformed'].includes(error.reason),
    )
  })

  it('a server that names another is refused before a secret is used, also between loopback addresses', async () => {
    const names = [MALICIOUS, 'http://localhost:8080', malicious.url]
    for (const serverUrl of [HONEST, 'http://127.0.0.1:8080'])
      for (const name of names) {
        malicious.tamper(serverInfoWith({ server_id: name }))
        const asked = malicious.seen.length
        const address = { ...person, baseUrl: malicious.url, serverUrl, environment }
        const isRefusal = (error: unknown) => error instanceof AddressError && error.given === serverUrl
        await assert.rejects(logIn(address), isRefusal)
        await assert.rejects(registerOwner({ ...address, recovery: newRecoveryWords() }), isRefusal)
        const words = `${'abandon '.repeat(23)}art`
        await assert.rejects(recover({ ...address, words, newPassword: person.password }), isRefusal)
        assert.ok(malicious.seen.slice(asked).every(atServerInfo), 'it learns no e-mail')
      }
  })

  it('a redirect is refused, and the refusal names the server that the person knows', async () => {
    honest.tamper({
      matches: () => true,
      answer: () => ({ status: 307, headers: { location: MALICIOUS }, body: Buffer.alloc(0) }),
    })
    const isRefusal = { name: 'NetworkError', failure: 'redirected', given: HONEST, found: MALICIOUS }
    await assert.rejects(logIn({ ...person, ...there }), isRefusal)
  })
})
