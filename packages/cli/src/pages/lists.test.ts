import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { declaredIn, expectedIn, type PagesList } from './lists.ts'

const file = (mediaType: string) => ['00', 1, mediaType] as const
const policy = (text: string) => ({ 'content-security-policy': text, 'x-content-type-options': 'nosniff' })
const LIST: PagesList = {
  format: 'service/pages/1',
  version: '1.0.0',
  headers: {
    page: { ...policy('page'), 'referrer-policy': 'no-referrer' },
    data: policy('data'),
    problem: policy('p'),
  },
  routes: [
    ['/', 'index.html', 'page'],
    ['/u/*', 'u/index.html', 'page'],
    ['/assets/*', 'assets/*', 'asset'],
    ['/preview/', 'preview/index.html', 'preview'],
    ['/take/*', 'take/*', 'take'],
    ['/healthz', null, 'data'],
    ['/problems/*', null, 'problem'],
    ['/v1/*', null, 'data'],
    ['/*', 'unknown/index.html', 'unknown'],
  ],
  files: {
    'index.html': file('text/html; charset=utf-8'),
    'unknown/index.html': file('text/html; charset=utf-8'),
    'u/index.html': file('text/html; charset=utf-8'),
    'preview/index.html': file('text/html; charset=utf-8'),
    'assets/a.js': file('text/javascript; charset=utf-8'),
    'assets/a.css': file('text/css; charset=utf-8'),
    'assets/a.svg': file('image/svg+xml'),
    'assets/a.wasm': file('application/wasm'),
    'assets/a.webmanifest': file('application/manifest+json'),
    'take/worker.js': file('text/javascript; charset=utf-8'),
  },
}

describe('a list of pages', () => {
  it('says of each file where it is, and what a browser asks for it as', () => {
    assert.deepEqual(
      expectedIn(LIST, 'id').map(({ path, use, status }) => [path, use, ...(status === 200 ? [] : [status])]),
      [
        ['/', 'document'],
        ['/u/id', 'document'],
        ['/assets/a.js', 'script'],
        ['/assets/a.css', 'style'],
        ['/assets/a.svg', 'image'],
        ['/assets/a.wasm', 'data'],
        ['/assets/a.webmanifest', 'manifest'],
        ['/preview/', 'frame'],
        ['/take/worker.js', 'serviceWorker'],
        ['/id', 'document', 404],
      ],
    )
  })

  it('says which policy is where no page is, also if it is of a release without a page for unknown addresses', () => {
    assert.deepEqual(
      declaredIn(LIST, 'x').map(({ path }) => path),
      ['/problems/x', '/v1/x'],
    )
    const older = { ...LIST, routes: LIST.routes.filter(([path]) => path !== '/*') }
    assert.deepEqual(declaredIn(older, 'x'), [
      { path: '/problems/x', headers: policy('p') },
      { path: '/v1/x', headers: policy('data') },
      { path: '/x', headers: policy('page') },
    ])
  })
})
