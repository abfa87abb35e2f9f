import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { startServer } from '../../../testing/startServer.ts'
import { until } from '../../../testing/until.ts'
import { BARE } from './bare.ts'
import { useBrowser } from './browser.ts'
import { startStrippingProxy } from './strippingProxy.ts'
import { startWorld, useWorld } from './world.ts'

const browser = useBrowser()
const world = useWorld()

/** The page of the server without its own scripts, so that only the policy decides what is allowed. */
async function barePage(t: TestContext, path: string, expected: readonly RegExp[] = []): Promise<Page> {
  const { context, page } = await browser.open(t, { url: `${world.url}${BARE}`, expected })
  await context.route('**/assets/*.js', (route) =>
    route.request().frame() === page.mainFrame() ? route.abort() : route.continue(),
  )
  await page.goto(`${world.url}${path}`)
  await context.unroute('**/assets/*.js')
  return page
}

/** The path of the guest page's worker. */
async function workerPath(): Promise<string> {
  const { page, close } = await browser.visit({ url: `${world.url}/u/${'0'.repeat(32)}` })
  const scripts = await page.evaluate(async () => {
    const sources = performance.getEntriesByType('resource').map(({ name }) => name)
    return Promise.all(sources.filter((name) => name.endsWith('.js')).map(async (name) => (await fetch(name)).text()))
  })
  await close()
  const name = scripts.map((text) => /worker-[\w-]+\.js/.exec(text)?.[0]).find((found) => found !== undefined)
  assert.ok(name !== undefined, 'the guest’s page names no worker')
  return `/assets/${name}`
}

describe('the Content-Security-Policy of the pages', () => {
  for (const path of ['/', '/u/any', '/v/any'])
    it(`refuses text as script or HTML (${path})`, async (t) => {
      const page = await barePage(t, path, [
        /TrustedHTML/,
        /TrustedScript/,
        /trusted-types refused trusted-types-policy/,
        /require-trusted-types-for/,
        /creating a TrustedTypePolicy/i,
      ])
      const outcome = await page.evaluate(async () => {
        // The policy does not apply to the task that the test itself evaluates, but to every later task.
        await new Promise((resolve) => setTimeout(resolve))
        const refused = (work: () => void): boolean => {
          try {
            work()
            return false
          } catch {
            return true
          }
        }
        const types = Reflect.get(globalThis, 'trustedTypes') as { createPolicy(name: string, rules: object): object }
        const inline = document.createElement('script')
        inline.append('globalThis.inlineRan = true')
        document.head.append(inline)
        return {
          innerHtml: refused(() => (document.body.innerHTML = '<b>x</b>')),
          // biome-ignore lint/security/noGlobalEval: the test checks that this is refused
          evaluated: refused(() => globalThis.eval('1')),
          source: refused(() => (document.createElement('script').src = '/assets/x.js')),
          otherPolicy: refused(() => types.createPolicy('another', {})),
          inlineRan: Reflect.has(globalThis, 'inlineRan'),
        }
      })
      assert.deepEqual(outcome, { innerHtml: true, evaluated: true, source: true, otherPolicy: true, inlineRan: false })
    })

  it('refuses pictures, requests and styles that are not from this server', async (t) => {
    const expected = [
      /img-src refused/,
      /connect-src refused/,
      /another origin: http:\/\/127\.0\.0\.2:9\/picture/,
      /style-src/,
      /console: /,
    ]
    const page = await barePage(t, '/u/any', expected)
    const outcome = await page.evaluate(async () => {
      const image = new Image()
      const shown = new Promise<string>((resolve) => {
        image.onload = () => resolve('loaded')
        image.onerror = () => resolve('refused')
      })
      image.src = 'http://127.0.0.2:9/picture'
      const style = document.createElement('style')
      style.append('body { color: red }')
      document.head.append(style)
      return {
        image: await shown,
        call: await fetch('http://127.0.0.2:9/call').then(
          () => 'sent',
          () => 'refused',
        ),
        styles: [...document.styleSheets].filter(({ href }) => href === null).length,
      }
    })
    assert.deepEqual(outcome, { image: 'refused', call: 'refused', styles: 0 })
  })

  it('runs the built worker, which can reach only this server, and compile WebAssembly but no text', async (t) => {
    const path = await workerPath()
    const page = await barePage(t, '/u/any', [
      /of a worker: connect-src refused http:\/\/127\.0\.0\.2:9\/call/,
      /of a worker: script-src refused eval/,
    ])
    const started = page.waitForEvent('worker')
    await page.evaluate((address) => {
      const types = Reflect.get(globalThis, 'trustedTypes') as {
        createPolicy(name: string, rules: object): { createScriptURL(address: string): string }
      }
      const policy = types.createPolicy('blindkeep-worker', { createScriptURL: (given: string) => given })
      Reflect.set(globalThis, 'started', new Worker(policy.createScriptURL(address), { type: 'module' }))
    }, path)
    const worker = await started
    const outcome = await worker.evaluate(async () => {
      const tried = (address: string) =>
        fetch(address).then(
          ({ status }) => status,
          () => 'refused',
        )
      const compiled = (compile: () => Promise<unknown>) =>
        compile().then(
          () => 'compiled',
          () => 'refused',
        )
      const emptyModule = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0])
      return {
        here: await tried('/v1/version'),
        elsewhere: await tried('http://127.0.0.2:9/call'),
        webAssembly: await compiled(() => WebAssembly.compile(emptyModule)),
        text: await compiled(async () => Reflect.construct(Function, ['return 1'])),
      }
    })
    const reached = { here: 200, elsewhere: 'refused' }
    assert.deepEqual(outcome, { ...reached, webAssembly: 'compiled', text: 'refused' })
  })

  it('gives the preview frame its script and style, but no origin, no storage and no network', async (t) => {
    const page = await barePage(t, '/', [/connect-src refused/, /img-src refused/, /console: /])
    const loaded: string[] = []
    page.on('requestfinished', (request) => loaded.push(new URL(request.url()).pathname))
    await page.evaluate(async () => {
      const frame = document.createElement('iframe')
      const there = new Promise((resolve) => frame.addEventListener('load', resolve))
      frame.src = './preview/index.html'
      document.body.append(frame)
      await there
    })
    const frameOf = () => page.frames().find((each) => each.url().includes('/preview/'))
    const ofPreview = () => loaded.filter((path) => path.startsWith('/preview/'))
    await until(() => frameOf() !== undefined && ofPreview().length > 0)
    const frame = frameOf()
    assert.ok(frame !== undefined)
    assert.deepEqual(ofPreview(), ['/preview/index.html'])
    const outcome = await frame.evaluate(async () => {
      const image = (source: string) =>
        new Promise<string>((resolve) => {
          const shown = new Image()
          shown.onload = () => resolve('loaded')
          shown.onerror = () => resolve('refused')
          shown.src = source
        })
      const canvas = document.createElement('canvas')
      const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve))
      const storage = () => {
        try {
          return localStorage.length
        } catch {
          return 'refused'
        }
      }
      return {
        origin: self.origin,
        storage: storage(),
        hasStyle: getComputedStyle(document.body).marginTop === '0px',
        call: await fetch('/v1/version').then(
          () => 'sent',
          () => 'refused',
        ),
        picture: await image('/assets/mark.svg'),
        blob: blob === null ? 'none' : await image(URL.createObjectURL(blob)),
      }
    })
    assert.deepEqual(outcome, {
      origin: 'null',
      storage: 'refused',
      hasStyle: true,
      call: 'refused',
      picture: 'refused',
      blob: 'loaded',
    })
  })
})

describe('pages below a path of a proxy', () => {
  it('find their scripts, their styles and the server', async (t) => {
    const proxy = await startStrippingProxy('/keep')
    t.after(() => proxy.close())
    const below = await startWorld({ publicUrl: proxy.url })
    t.after(() => below.stop())
    proxy.forwardTo(below.server.url)
    const { url } = await below.link()
    assert.ok(url.startsWith(`${proxy.url}/u/`))
    const { page } = await browser.open(t, { url: `${proxy.url}/` })
    await page.locator('#page > *').first().waitFor()
    const answered = page.waitForResponse((response) => response.url().startsWith(`${proxy.url}/d/`))
    await page.goto(url)
    assert.equal((await answered).status(), 200)
    assert.deepEqual(proxy.strayed, [])
  })
})

describe('the guest’s page', () => {
  /** 50 kB take one second at 400 kbit/s. Keys and encryption can load after the first paint. */
  const MAX_FIRST_PAINT_BYTES = 40_000

  it('loads less than 40 kB before its first paint, without the worker', async (t) => {
    const { url } = await world.link()
    const { page } = await browser.open(t, { url, device: 'phone' })
    await page.locator('#page > *').first().waitFor()
    const loaded = await page.evaluate(async () => {
      const painted = await new Promise<number>((resolve) => {
        new PerformanceObserver((list) => {
          const paint = list.getEntriesByName('first-contentful-paint')[0]
          if (paint !== undefined) resolve(paint.startTime)
        }).observe({ type: 'paint', buffered: true })
      })
      return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
        .filter(({ startTime }) => startTime < painted)
        .map((entry) => entry as PerformanceResourceTiming)
        .filter(({ initiatorType }) => initiatorType !== 'fetch')
        .map(({ name, encodedBodySize }) => ({ name: new URL(name).pathname, bytes: encodedBodySize }))
    })
    const first = loaded.filter(({ name }) => !name.includes('/worker-'))
    const bytes = first.reduce((sum, each) => sum + each.bytes, 0)
    t.diagnostic(`${bytes} bytes: ${first.map(({ name, bytes: each }) => `${name} ${each}`).join(', ')}`)
    assert.ok(first.some(({ name }) => name.endsWith('.js')) && first.some(({ name }) => name.endsWith('.css')))
    assert.ok(bytes > 0 && bytes < MAX_FIRST_PAINT_BYTES, JSON.stringify(first))
  })
})

describe('the start of a server', () => {
  it('logs the address of the pages, or how to build them', async (t) => {
    assert.ok(world.server.log().includes(`open ${world.server.url}/ in a browser`))
    const bare = await startServer({ env: { PAGES_DIR: join(world.server.dataDir, 'nowhere') } })
    t.after(() => bare.stop())
    assert.match(bare.log(), /npm run build/)
    assert.equal((await fetch(`${bare.url}/`)).status, 503)
  })
})

describe('an address without a page', () => {
  it('answers with a problem document', async () => {
    const answerTo = async (path: string, method = 'GET') => {
      const answer = await fetch(`${world.url}${path}`, { method })
      const { code } = (await answer.json()) as { readonly code: string }
      return `${answer.status} ${code}`
    }
    assert.equal(await answerTo('/u/'), '404 error.request.not_found')
    assert.equal(await answerTo('/assets/none.js'), '404 error.request.not_found')
    assert.equal(await answerTo('/', 'POST'), '405 error.request.method_not_allowed')
    assert.equal(await answerTo('/u/any', 'DELETE'), '405 error.request.method_not_allowed')
  })
})

describe('the page of an owner', () => {
  it('names itself and its pictures to a system that installs it as an app', async (t) => {
    const { context, page } = await browser.open(t, { url: world.url })
    const { url, errors, data = '' } = await (await context.newCDPSession(page)).send('Page.getAppManifest')
    assert.deepEqual(errors, [])
    const touched = await page.locator('link[rel=apple-touch-icon]').getAttribute('href')
    const { start_url, icons } = JSON.parse(data) as {
      readonly start_url: string
      readonly icons: readonly { readonly src: string; readonly sizes: string }[]
    }
    assert.equal(new URL(start_url, url).href, `${world.url}/`)
    const named = [
      ...icons.map(({ src, sizes }) => ({ address: new URL(src, url).href, sizes })),
      { address: new URL(touched ?? '', page.url()).href, sizes: '180x180' },
    ]
    const loaded = await page.evaluate(
      (addresses) =>
        Promise.all(
          addresses.map(async (src) => {
            const picture = Object.assign(new Image(), { src })
            await picture.decode()
            return `${picture.naturalWidth}x${picture.naturalHeight}`
          }),
        ),
      named.map(({ address }) => address),
    )
    assert.deepEqual(
      loaded,
      named.map(({ sizes }) => sizes),
    )
  })
})
