import type { Site, SitePage } from '@blindkeep/client/site'
import { Name } from './controls.tsx'

interface OperatorNoteProps {
  readonly site: Site | undefined
  readonly text: {
    readonly says: string
    readonly imprint: (host: string) => string
    readonly privacy: (host: string) => string
  }
}

/**
 * What the operator of the server says about itself. Draw it behind all fields: words of another person in front of a
 * password or a passphrase could ask for it.
 */
export function OperatorNote({ site, text }: OperatorNoteProps) {
  if (site === undefined) return null
  const { name, imprint, privacy } = site
  return (
    <div class="operator-note small soft">
      <p>
        {text.says} {name !== undefined && <Name>{name}</Name>}
      </p>
      {imprint !== undefined && <PageLink page={imprint} words={text.imprint} />}
      {privacy !== undefined && <PageLink page={privacy} words={text.privacy} />}
    </div>
  )
}

interface PageLinkProps {
  readonly page: SitePage
  readonly words: (host: string) => string
}

/** In a tab of its own: this one may be sending files. */
function PageLink({ page: { url, host }, words }: PageLinkProps) {
  return (
    <p>
      <a href={url} target="_blank" rel="noopener noreferrer">
        {words(host)}
      </a>
    </p>
  )
}
