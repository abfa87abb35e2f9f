import { dirname, join } from 'node:path/posix'
import type { Document } from './markdown.ts'

/** An address with a scheme: another site, or mail. */
const ELSEWHERE = /^[a-z][a-z0-9+.-]*:/i
/** Lines of a source, as GitHub names them. */
const LINES = /^L\d+(-L\d+)?$/

/** Relative links without a file or heading. `files`: all of the repository, from its root. */
export function* brokenLinks(documents: readonly Document[], files: ReadonlySet<string>): Generator<string> {
  const byFile = new Map(documents.map((document) => [document.file, document]))
  const folders = new Set([...files].flatMap(foldersOf))
  for (const { file, links } of documents)
    for (const { line, target } of links) {
      if (ELSEWHERE.test(target)) continue
      const [path = '', anchor] = target.split('#')
      const to = path === '' ? file : join(dirname(file), decodeURI(path)).replace(/\/$/, '')
      if (!files.has(to) && !folders.has(to)) yield `${file}:${line}: ${target}: there is no such file`
      else if (anchor !== undefined && !hasAnchor(byFile.get(to), anchor))
        yield `${file}:${line}: ${target}: there is no such heading`
    }
}

/** A file of code, as a text of ours names it: by the end of its path, with a folder. */
const NAMED_CODE = /`([\w-]+(?:\/[\w.-]+)+\.tsx?)`/g

/** Names of files that do not exist in the text of `file`, which may be a document or code with its comments. */
export function lostFiles(file: string, text: string, files: ReadonlySet<string>): readonly string[] {
  return text
    .split('\n')
    .flatMap((content, index) =>
      [...content.matchAll(NAMED_CODE)]
        .filter(([, name = '']) => !files.has(name) && ![...files].some((each) => each.endsWith(`/${name}`)))
        .map(([, name]) => `${file}:${index + 1}: ${name}: there is no such file`),
    )
}

function hasAnchor(document: Document | undefined, anchor: string): boolean {
  return document === undefined ? LINES.test(anchor) : document.anchors.has(decodeURI(anchor))
}

function foldersOf(file: string): readonly string[] {
  const folder = dirname(file)
  return folder === '.' ? ['.'] : [folder, ...foldersOf(folder)]
}
