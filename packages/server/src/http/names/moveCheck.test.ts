import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { ORPHAN_CERTIFICATE } from '../../../../../testing/receiverCertificate.ts'
import { openReceiver } from '../../../../../testing/receivers.ts'
import { ask } from './asking.ts'
import { isServedAt, type MoveCheck, openMoveCheck } from './moveCheck.ts'

const HOST = '127.0.0.1'

async function unusedPort(): Promise<number> {
  const probe = createServer().listen(0, HOST)
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

/** With the check listening at a free port, and `answering` at another one. */
function checking(
  work: (given: { readonly check: MoveCheck; readonly port: number; readonly other: string }) => Promise<void>,
  answering: (port: number) => RequestListener = () => () => undefined,
) {
  return async () => {
    const port = await unusedPort()
    const check = await openMoveCheck({ host: HOST, port })
    const server = createServer(answering(port)).listen(0, HOST)
    await once(server, 'listening')
    const { port: otherPort } = server.address() as AddressInfo
    try {
      await work({ check, port, other: `http://${HOST}:${otherPort}` })
    } finally {
      server.closeAllConnections()
      server.close()
      await check.close()
    }
  }
}

const at = ({ check, other }: { readonly check: MoveCheck; readonly other: string }, formerUrls: string[] = []) =>
  check.faultInNew({ publicUrl: other, formerUrls })

/** A proxy to the port that sends another Host. */
const proxyNaming =
  (host: string) =>
  (port: number): RequestListener =>
  ({ url }, response) => {
    const asked = request({ host: HOST, port, path: url, headers: { host } }, (answer) => {
      response.writeHead(answer.statusCode ?? 500)
      answer.pipe(response)
    })
    asked.end()
  }

const answers =
  (status: number, body: string, headers = {}) =>
  (): RequestListener =>
  (_, response) =>
    response.writeHead(status, headers).end(body)

describe('the look whether a new address leads here', () => {
  it(
    'finds this machine, also below a path, and answers nothing else meanwhile',
    checking(async ({ check, port }) => {
      const own = `http://${HOST}:${port}`
      for (const publicUrl of [own, `${own}/keep`])
        assert.equal(await check.faultInNew({ publicUrl, formerUrls: [] }), undefined)
      for (const path of ['/', '/readyz', '/.well-known/service/attestation-keys'])
        assert.equal((await fetch(own + path)).status, 503)
    }),
  )

  it(
    'says that nothing listens, or has the name',
    checking(async ({ check }) => {
      const silent = `http://${HOST}:${await unusedPort()}`
      assert.match(String(await check.faultInNew({ publicUrl: silent, formerUrls: [] })), /nothing listens there/)
      const nameless = 'https://nowhere.invalid'
      assert.match(String(await check.faultInNew({ publicUrl: nameless, formerUrls: [] })), /no address for the name/)
    }),
  )

  it(
    'names the way to trust a certificate of an authority of the operator',
    checking(async ({ check }) => {
      const receiver = await openReceiver({ isTls: true, cert: ORPHAN_CERTIFICATE })
      const publicUrl = `https://localhost:${receiver.port}`
      const fault = await check.faultInNew({ publicUrl, formerUrls: [] }).finally(receiver.close)
      assert.match(
        String(fault),
        /does not accept its certificate \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\).*NODE_EXTRA_CA_CERTS/,
      )
    }),
  )

  for (const [what, answering, said] of [
    [
      'redirects here',
      (port: number) => answers(307, '', { location: `http://${HOST}:${port}/` })(),
      /it redirects to/,
    ],
    ['is a proxy that finds no server', answers(502, ''), /says 502/],
    ['knows no such path', answers(404, ''), /says 404/],
    ['answers everything', answers(200, 'welcome'), /something else answers there/],
    [
      'repeats what it is asked for',
      () =>
        ({ url }, response) =>
          void response.end(url),
      /something else/,
    ],
    ['has no end', () => (_, response) => endless(response), /something else/],
  ] as readonly (readonly [string, (port: number) => RequestListener, RegExp])[])
    it(
      `is not satisfied by what ${what}`,
      checking(async (given) => assert.match(String(await at(given)), said), answering),
    )

  it(
    'refuses a proxy that names an address which the server leaves',
    checking(
      async (given) => assert.match(String(await at(given, ['https://old.example/keep'])), /"old\.example:443".*Host/),
      proxyNaming('old.example:443'),
    ),
  )

  it(
    'accepts a proxy that names the place where it finds the server',
    checking(
      async (given) => assert.equal(await at(given, ['https://old.example']), undefined),
      proxyNaming('localhost'),
    ),
  )
})

function endless(response: Parameters<RequestListener>[1]): void {
  const more = () => {
    while (response.write('x'.repeat(65_536)));
  }
  response.on('drain', more).on('error', () => undefined)
  more()
}

describe('the look whether a server is still at the old address', () => {
  const KEY = 'ab'.repeat(32)
  const keys = (...listed: readonly object[]) => answers(200, JSON.stringify({ server_id: 'x', keys: listed }))
  const ended = '2026-01-01T00:00:00Z'

  for (const [what, answering, isFound] of [
    ['that signs with a key of this one', keys({ key_id: 'other', active_to: ended }, { key_id: KEY }), true],
    ['that has changed its key since', keys({ key_id: KEY, active_to: ended }, { key_id: 'other' }), true],
    ['with other keys', keys({ key_id: 'other' }), false],
    ['that redirects', (port: number) => answers(307, '', { location: `http://${HOST}:${port}/` })(), false],
    ['that is being moved', answers(503, ''), false],
    ['that answers something else', answers(200, '[[{'), false],
    ['that answers no list', answers(200, '{"keys":{"0":null}}'), false],
    ['that answers wrong members', answers(200, '{"keys":[null,3,"x"]}'), false],
  ] as const)
    it(
      `${isFound ? 'finds one' : 'takes no notice of one'} ${what}`,
      checking(async ({ other }) => assert.equal(await isServedAt(other, ['first', KEY]), isFound), answering),
    )

  for (const [what, answering] of [
    ['silent', () => undefined],
    ['endless', (_, response) => void response.writeHead(200).write('x')],
  ] as readonly (readonly [string, RequestListener])[])
    it(
      `is over in time at one that is ${what}`,
      checking(
        async ({ other }) => assert.deepEqual(await ask(other, 500), { silence: 'nothing answers within 0.5 seconds' }),
        () => answering,
      ),
    )

  it('takes silence for no server', async () =>
    assert.equal(await isServedAt(`http://${HOST}:${await unusedPort()}`, [KEY]), false))
})
