import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { askSite } from './site.ts'

describe('what an operator says about itself', () => {
  let answer: { readonly status: number; readonly json: unknown } = { status: 200, json: {} }
  let baseUrl = ''
  const server = createServer((request, response) => {
    assert.equal(request.url, '/v1/site')
    response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer.json))
  })
  before(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const address = server.address()
    baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  })
  after(() => void server.close())

  const said = (json: unknown, status = 200) => {
    answer = { status, json }
    return askSite(baseUrl)
  }

  it('is a line of text, and addresses with their hosts in ASCII', async () => {
    const page = { url: 'https://xn--mnchen-3ya.example/p', host: 'xn--mnchen-3ya.example' }
    const name = 'Your\u202E password,\n please '
    assert.deepEqual(await said({ name, imprint_url: page.url, privacy_url: 'https://A.example:8443/' }), undefined)
    assert.deepEqual(await said({ name: name.replace('\n', ' '), imprint_url: page.url }), {
      name: 'Your password, please',
      imprint: page,
      privacy: undefined,
    })
    const { privacy } = (await said({ privacy_url: 'https://A.example:8443/' })) ?? {}
    assert.deepEqual(privacy, { url: 'https://a.example:8443/', host: 'a.example:8443' })
  })

  it('is nothing where it has another form, or a server does not know the question', async () => {
    const long = 'x'.repeat(201)
    for (const json of [
      {},
      { name: '\u200F ' },
      { name: long },
      { name: 1 },
      { imprint_url: 'javascript:alert(1)' },
      { imprint_url: 'http://a.example/' },
      { imprint_url: 'https://' },
      { imprint_url: `https://a.example/${long}` },
      { privacy_url: 'https://bank.example@evil.example/' },
      [],
    ])
      assert.equal(await said(json), undefined, JSON.stringify(json))
    assert.equal(await said({ code: 'error.request.not_found' }, 404), undefined)
    assert.equal(await askSite('http://127.0.0.1:9'), undefined)
  })
})
