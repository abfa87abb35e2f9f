import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { type Operation, operations } from '@blindkeep/protocol/operations'
import { suspending } from '../testing/faults.ts'
import { overHttp, said } from '../testing/http.ts'
import { inWorld } from '../testing/world.ts'

const pathOf = (row: Operation) =>
  row.path.replace('{opaque_id}', randomBytes(16).toString('hex')).replaceAll(/\{\w+\}/g, () => randomUUID())

describe('a suspended account', () => {
  it('writes nothing, and is let through to all that reads or frees', async () => {
    let isSuspended = false
    const store = suspending(() => isSuspended)
    await inWorld(
      async (world) => {
        const web = overHttp(world)
        const { authorization } = await web.signIn()
        const publicKey = randomBytes(1984).toString('base64')
        const device = { device_id: randomUUID(), public_key: publicKey }
        const send = (method: 'POST' | 'DELETE', url: string, payload?: object) =>
          web.ask({ method, url, headers: { authorization }, ...(payload && { payload }) })
        assert.equal(said(await send('POST', '/v1/devices', device)), '201')
        isSuspended = true
        for (const row of Object.values<Operation>(operations).filter(({ auth }) => auth === 'bearer')) {
          if (row === operations.logout) continue
          const answer = await web.ask({ method: row.method, url: pathOf(row), headers: { authorization } })
          assert.equal(answer.statusCode === 403, row.writes === true, row.path)
        }
        for (const [path, body] of [
          ['/v1/devices', { device_id: randomUUID(), public_key: publicKey }],
          ['/v1/albums', { album_id: randomUUID() }],
        ] as const)
          assert.equal(said(await send('POST', path, body)), '403 account.suspended')
        assert.equal(said(await send('DELETE', `/v1/devices/${device.device_id}`)), '204')
      },
      { around: { store } },
    )()
  })
})
