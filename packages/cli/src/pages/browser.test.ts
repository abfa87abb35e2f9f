import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { until } from '../../../../testing/until.ts'
import { findBrowser, startBrowser } from './browser.ts'

const folder = await mkdtemp(join(tmpdir(), 'blindkeep-browser-'))
after(() => rm(folder, { recursive: true, force: true }))

async function program(name: string, script = ''): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, `#!/bin/sh\n${script}\n`)
  await chmod(path, 0o755)
  return path
}

describe('the browser of local pages', () => {
  it('is Chromium or Firefox, by its name or path', async () => {
    for (const name of ['firefox', 'chromium', 'google-chrome']) {
      const path = await program(name)
      assert.equal(await findBrowser(path), path)
    }
    assert.equal(await findBrowser(join(folder, 'not', 'firefox')), undefined)
  })

  it('is no other, although it is there: it may ask the network for a name below localhost', async () => {
    for (const name of ['safari', 'epiphany', 'xdg-open', 'open', 'firefox-like', ''])
      await assert.rejects(findBrowser(await program(name === '' ? 'sh' : name)), /neither Chromium nor Firefox/)
  })

  it('gets the address, and nothing else', async () => {
    const said = join(folder, 'arguments')
    const script = `echo "$@" > ${said}.new && mv ${said}.new ${said}`
    startBrowser(await program('firefox', script), 'http://k.localhost:1/', assert.fail)
    const read = () => readFile(said, 'utf8').catch(() => '')
    await until(async () => (await read()) !== '')
    assert.equal(await read(), 'http://k.localhost:1/\n')
  })

  it('is said to have failed where it does not start, or finds no screen', async () => {
    for (const path of [await program('chromium', 'exit 1'), join(folder, 'not', 'firefox')])
      await new Promise<void>((resolve) => startBrowser(path, 'http://k.localhost:1/', resolve))
  })
})
