import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brokenLinks, lostFiles } from './links.ts'
import { anchorOf, readDocument } from './markdown.ts'

const faultsOf = (text: string, others: Readonly<Record<string, string>> = {}) => {
  const documents = Object.entries({ 'docs/a.md': text, ...others }).map(([file, own]) => readDocument(file, own))
  return [...brokenLinks(documents, new Set([...documents.map(({ file }) => file), 'src/code.ts', 'docs/p.png']))]
}

describe('the check of links', () => {
  it('accepts files, folders, pictures, headings and other sites', () => {
    const text = [
      '# Über *die* `Welt`: 1, 2!',
      '## Twice',
      '## Twice',
      '[a](#über-die-welt-1-2) [b](#twice-1) ![p](p.png "title") [c](../src/code.ts#L3) [d](../src/)',
      '[e](https://example.org/x#y) [f](mailto:a@example.org) [g][ref] <a href="b.md#here">h</a>',
      '[ref]: b.md#here',
    ].join('\n')
    assert.deepEqual(faultsOf(text, { 'docs/b.md': '<a id="here"></a>' }), [])
  })

  it('names a file that does not exist, and a heading that does not exist, with the line', () => {
    assert.deepEqual(
      faultsOf('x\n[a](gone.md) [b](#gone)\n![p](../p.png)\n[c](b.md#gone)', { 'docs/b.md': '# Here' }),
      [
        'docs/a.md:2: gone.md: there is no such file',
        'docs/a.md:2: #gone: there is no such heading',
        'docs/a.md:3: ../p.png: there is no such file',
        'docs/a.md:4: b.md#gone: there is no such heading',
      ],
    )
  })

  it('reads no links and headings of code', () => {
    const text = '```sh\n# Here\n[a](gone.md)\n```\n`[b](gone.md)`\n````md\n```\n[c](gone.md)\n```\n````\n[d](#here)'
    assert.deepEqual(faultsOf(text), ['docs/a.md:11: #here: there is no such heading'])
  })

  it('names a file of code that does not exist, by its end and a folder', () => {
    const text = 'as `rows/a.ts` and `b.ts` say\n// See `rows/b.tsx`, `s/rows/a.ts`, `./a.ts`.'
    assert.deepEqual(lostFiles('x.ts', text, new Set(['src/rows/a.ts'])), [
      'x.ts:2: rows/b.tsx: there is no such file',
      'x.ts:2: s/rows/a.ts: there is no such file',
    ])
  })

  it('makes the anchors of GitHub', () => {
    const anchors = {
      'Secret → key, purpose': 'secret--key-purpose',
      'A `snake_case` name': 'a-snake_case-name',
      "What's [new](x.md)?": 'whats-new',
    }
    for (const [heading, anchor] of Object.entries(anchors)) assert.equal(anchorOf(heading), anchor)
  })
})

describe('blocks that can be run', () => {
  it('are those that say so, with their lines', () => {
    const { blocks } = readDocument('a.md', '```sh\nno\n```\n\n```sh run\none\ntwo\n```\n~~~sh run\nthree\n~~~\n')
    assert.deepEqual(blocks, [
      { line: 6, commands: 'one\ntwo' },
      { line: 10, commands: 'three' },
    ])
  })

  it('are modules too, which Node runs', () => {
    const { blocks } = readDocument('a.md', '```js\nno()\n```\n```js run\nimport "node:fs"\n```\n')
    const commands = 'node --input-type=module <<\'END\'\nimport "node:fs"\nEND'
    assert.deepEqual(blocks, [{ line: 5, commands }])
  })
})

describe('a long paragraph', () => {
  it('is found by its line, also in a table, but not in a block, and a list in a cell is none', () => {
    const [short, long] = ['x'.repeat(600), 'x'.repeat(601)]
    const part = 'x'.repeat(300)
    const text = [short, '', long, '```', long, '```', `- ${long}`, '', part, part, 'x', '', part, part]
    assert.deepEqual(readDocument('a.md', text.join('\n')).long, [3, 7, 9])
    const list = `| ${part}<br>${part}<br>x | ${`\`${part}\`, `.repeat(3)} |`
    assert.deepEqual(readDocument('a.md', [`| ${short} | ${long} |`, list].join('\n')).long, [1])
  })
})
