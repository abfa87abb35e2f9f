import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { json, type Reply } from './call.ts'
import { expectRefusedValues, MISTYPED } from './creations.ts'
import { answerOf, expectAnswer, fingerprint } from './expect.ts'
import { expectNaming } from './naming.ts'
import { connect } from './server.ts'
import { asOwner, base64, type Owner, signUp } from './world.ts'

/** Ed25519 and ML-DSA-65 together. The server accepts any bytes of that length. */
const PUBLIC_KEY_BYTES = 1984
const MAC_BYTES = 32

interface Device {
  readonly device_id: string
  readonly public_key: string
  readonly mac?: string
  readonly sealed_name?: string
  readonly created_at: string
  readonly revoked_at?: string
}

const server = await connect()

const deviceBody = (over: object = {}): Record<string, unknown> => ({
  device_id: randomUUID(),
  public_key: base64(PUBLIC_KEY_BYTES),
  mac: base64(MAC_BYTES),
  ...over,
})
const send = (owner: Owner, body: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
  server.send({ method: 'POST', path: '/v1/devices', token: owner.token, json: body, headers })
const revoke = (owner: Owner, deviceId: unknown): Promise<Reply> => asOwner(owner, 'DELETE', `/v1/devices/${deviceId}`)

async function devicesOf(owner: Owner): Promise<readonly Device[]> {
  return json<{ devices: Device[] }>(await asOwner(owner, 'GET', '/v1/devices')).devices
}

// Covers: Devices, albums and capabilities
describe('add a device', () => {
  it('answers 201 with the device, and lists the same', async () => {
    const owner = await signUp(server)
    const body = deviceBody()
    const reply = await send(owner, body)
    expectAnswer(reply, '201')
    const { created_at, ...device } = json<Device>(reply)
    assert.deepEqual(device, body)
    assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000)
    assert.deepEqual(await devicesOf(owner), [json(reply)])
  })

  it('does not need a mac', async () => {
    const owner = await signUp(server)
    const { mac: _, ...bare } = deviceBody()
    for (const body of [bare, deviceBody({ mac: null })]) {
      const reply = await send(owner, body)
      expectAnswer(reply, '201')
      assert.ok(!('mac' in json<object>(reply)))
    }
    expectAnswer(await send(owner, { ...bare, mac: null }), '200', 'null means absent')
  })

  it('answers 200 to a repeat of the same account with the same values', async () => {
    const owner = await signUp(server)
    const body = deviceBody()
    const first = await send(owner, body)
    for (let round = 0; round < 3; round += 1) {
      const again = await send(owner, body)
      expectAnswer(again, '200')
      assert.deepEqual(json(again), json(first))
    }
    assert.equal((await devicesOf(owner)).length, 1)
  })

  it('answers 400 to a taken id with another key or mac', async () => {
    const owner = await signUp(server)
    const body = deviceBody()
    const added = json<Device>(await send(owner, body))
    for (const over of [{ public_key: base64(PUBLIC_KEY_BYTES) }, { mac: base64(MAC_BYTES) }, { mac: null }])
      expectAnswer(await send(owner, { ...body, ...over }), '400 device.invalid', Object.keys(over).join())
    assert.deepEqual(await devicesOf(owner), [added])
  })

  it('answers 400 to the id of another account’s device, and leaves that unchanged', async () => {
    const [owner, other] = [await signUp(server), await signUp(server)]
    const body = deviceBody()
    const added = json<Device>(await send(owner, body))
    expectAnswer(await send(other, body), '400 device.invalid')
    expectAnswer(await send(other, deviceBody({ device_id: body.device_id })), '400 device.invalid')
    assert.deepEqual([await devicesOf(owner), await devicesOf(other)], [[added], []])
  })

  it('never revives a revoked device', async () => {
    const owner = await signUp(server)
    const body = deviceBody()
    await send(owner, body)
    await revoke(owner, body.device_id)
    expectAnswer(await send(owner, body), '400 device.invalid')
    assert.ok((await devicesOf(owner))[0]?.revoked_at !== undefined)
  })

  it('answers 400 to a value of a wrong format or length', async () => {
    const owner = await signUp(server)
    const id = randomUUID()
    const values = {
      device_id: ['', 'x', id.toUpperCase(), id.replaceAll('-', ''), `{${id}}`, `${id}\n`],
      public_key: ['', base64(PUBLIC_KEY_BYTES - 1), base64(PUBLIC_KEY_BYTES + 1), 'A'.repeat(2646), '-'.repeat(2648)],
      mac: ['', base64(MAC_BYTES - 1), base64(MAC_BYTES + 1), '='.repeat(44)],
    }
    await expectRefusedValues((over) => send(owner, deviceBody(over)), values, '400 request.malformed')
    assert.deepEqual(await devicesOf(owner), [])
  })

  it('answers 422 to a missing, null or wrongly typed field', async () => {
    const owner = await signUp(server)
    const values = { device_id: MISTYPED, public_key: MISTYPED, mac: [1] }
    await expectRefusedValues((over) => send(owner, deviceBody(over)), values, '422 request.unprocessable')
  })

  it('answers 400 to an unknown field', async () => {
    const owner = await signUp(server)
    const values = { revoked_at: [null], created_at: [null], name: [null], '': [null] }
    await expectRefusedValues((over) => send(owner, deviceBody(over)), values, '400 request.malformed')
  })

  it('accepts every well-formed protocol date', async () => {
    const owner = await signUp(server)
    for (const date of ['1999-12-31', '2999-01-01'])
      expectAnswer(await send(owner, deviceBody(), { 'x-service-protocol': date }), '201', date)
  })
})

// Covers: Devices, albums and capabilities
describe('own devices', () => {
  it('are listed for their owner only, revoked ones too, oldest first', async () => {
    const [owner, other] = [await signUp(server), await signUp(server)]
    const bodies = Array.from({ length: 5 }, () => deviceBody())
    for (const body of bodies) await send(owner, body)
    await send(other, deviceBody())
    await revoke(owner, bodies[1]?.device_id)
    const listed = await devicesOf(owner)
    assert.deepEqual(
      listed.map(({ device_id, public_key, mac }) => ({ device_id, public_key, mac })),
      bodies,
    )
    assert.deepEqual(
      listed.map(({ revoked_at }) => revoked_at !== undefined),
      [false, true, false, false, false],
    )
  })
})

// Covers: Devices, albums and capabilities
describe('name a device', () => {
  const name = (owner: Owner, deviceId: unknown, body: object): Promise<Reply> =>
    server.send({ method: 'PATCH', path: `/v1/devices/${deviceId}`, token: owner.token, json: body })

  it('answers 204 and lists the name, which null removes, and which is not part of a repeat of adding', async () => {
    const owner = await signUp(server)
    const [body, other] = [deviceBody(), deviceBody()]
    for (const each of [body, other]) await send(owner, each)
    const names = async () => (await devicesOf(owner)).map(({ sealed_name }) => sealed_name)
    const sealed_name = await expectNaming(
      (given) => name(owner, body.device_id, given),
      async () => {
        const [shown, ofOther] = await names()
        assert.equal(ofOther, undefined)
        return shown
      },
    )
    expectAnswer(await send(owner, body), '200')
    await revoke(owner, body.device_id)
    assert.deepEqual(await names(), [sealed_name, undefined])
    expectAnswer(await name(owner, body.device_id, { sealed_name: null }), '204', 'a revoked one too')
    expectAnswer(await name(owner, other.device_id, { name: 'x' }), '400 request.malformed')
  })

  it('answers the same 404 to an unknown device and another account’s, which stays unchanged', async () => {
    const [owner, other] = [await signUp(server), await signUp(server)]
    const body = deviceBody()
    await send(owner, body)
    const before = await devicesOf(owner)
    const replies: Reply[] = []
    for (const id of [randomUUID(), body.device_id]) replies.push(await name(other, id, { sealed_name: base64(80) }))
    assert.deepEqual(replies.map(answerOf), Array(2).fill('404 device.not_found'))
    assert.equal(new Set(replies.map(fingerprint)).size, 1)
    assert.deepEqual(await devicesOf(owner), before)
  })
})

// Covers: Devices, albums and capabilities
describe('revoke a device', () => {
  it('answers 204 each time, and keeps the first time', async () => {
    const owner = await signUp(server)
    const body = deviceBody()
    await send(owner, body)
    expectAnswer(await revoke(owner, body.device_id), '204')
    const [first] = await devicesOf(owner)
    assert.ok(Math.abs(Date.parse(String(first?.revoked_at)) - Date.now()) < 60_000)
    expectAnswer(await revoke(owner, body.device_id), '204')
    assert.deepEqual(await devicesOf(owner), [first])
  })

  it('answers the same 404 to an unknown device and another account’s, which stays unchanged', async () => {
    const [owner, other] = [await signUp(server), await signUp(server)]
    const [live, dead] = [deviceBody(), deviceBody()]
    for (const body of [live, dead]) await send(owner, body)
    await revoke(owner, dead.device_id)
    const before = await devicesOf(owner)
    const replies: Reply[] = []
    for (const id of [randomUUID(), live.device_id, dead.device_id]) replies.push(await revoke(other, id))
    assert.deepEqual(replies.map(answerOf), Array(3).fill('404 device.not_found'))
    assert.equal(new Set(replies.map(fingerprint)).size, 1)
    assert.deepEqual(await devicesOf(owner), before)
  })
})
