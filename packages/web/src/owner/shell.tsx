/** The frame of every page of a signed-in owner: header, navigation, notices. */
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { isLocalPage } from '../common/address/localPage.ts'
import { Button, Notice } from '../common/controls/controls.tsx'
import { Icon, type IconName } from '../common/controls/icons.tsx'
import { Mark } from '../common/controls/mark.tsx'
import { useKeptPlace } from '../common/drawing/keptPlace.ts'
import { LanguageSelect } from '../common/language/languageSelect.tsx'
import { useText } from '../common/language/reader.ts'
import { AccountPage } from './account/accountPage.tsx'
import { AlbumsPage } from './albums/albumsPage.tsx'
import { MovedNotice } from './banners/movedNotice.tsx'
import { MoveNotices } from './banners/moveNotices.tsx'
import { WorkBar } from './banners/workBar.tsx'
import { BinPage } from './bin/binPage.tsx'
import { isFirstView } from './ground/firstView.ts'
import { PAGES, type Page, type Route, useRoute } from './ground/route.ts'
import { ownerTexts } from './ground/texts.ts'
import { InboxBanner } from './inbox/inboxBanner.tsx'
import { InboxPage } from './inbox/inboxPage.tsx'
import { MAX_COUNTED } from './inbox/useVisit.ts'
import { LinksPage } from './links/linksPage.tsx'
import type { NavigationMarks } from './navigationMarks.ts'
import type { PageSession } from './session/session.ts'
import { SignOutQuestion, useSignOut } from './session/signOut.tsx'
import { SharesPage } from './shares/sharesPage.tsx'
import { useFollowedShares } from './shares/useFollowedShares.ts'
import { QuotaBanner, StoragePage } from './storage/storagePage.tsx'
import { TakenCard } from './take/takenCard.tsx'

const ICONS: Readonly<Record<Page, IconName>> = {
  inbox: 'inbox',
  links: 'link',
  albums: 'album',
  shares: 'share',
  storage: 'shield',
  account: 'user',
  bin: 'trash',
}

interface ShellProps {
  readonly session: PageSession
  readonly marks: NavigationMarks
  readonly isConnected: boolean
  readonly isReady: boolean
  readonly hasMoved: boolean
  readonly isSuspended: boolean
  readonly areWordsUnconfirmed: boolean
}

export function Shell(props: ShellProps) {
  const { session, isReady, hasMoved, isSuspended, areWordsUnconfirmed } = props
  const { newFiles, refusedLinks } = props.marks
  const text = useText(ownerTexts)
  const route = useRoute()
  const main = useRef<HTMLElement>(null)
  useHeadingFocus(main, `${route.page}/${route.rest}`, isReady)
  useKeptPlace(main)
  useFollowedShares()
  return (
    <div class="shell">
      <Header {...props} onSkip={() => main.current?.focus()} />
      <nav class="page-nav no-print" aria-label={text.navigation}>
        <ul>
          {PAGES.map((page) => (
            <li key={page} class={page === 'bin' ? 'wide-only' : undefined}>
              <a href={`#/${page}`} aria-current={page === route.page ? 'page' : undefined}>
                <Icon name={ICONS[page]} />
                <span>{text.pages[page]}</span>
                {page === 'inbox' && newFiles > 0 && (
                  <span class="count">
                    <span aria-hidden="true">{newFiles > MAX_COUNTED ? `${MAX_COUNTED}+` : newFiles}</span>
                    <span class="visually-hidden">{text.inboxWaiting(newFiles)}</span>
                  </span>
                )}
                {page === 'links' && refusedLinks > 0 && (
                  <span class="refused-mark">
                    <Icon name="alert" />
                    <span class="visually-hidden">{text.linksRefused(refusedLinks)}</span>
                  </span>
                )}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <main ref={main} class="page-content" tabIndex={-1}>
        {hasMoved && <MovedNotice />}
        {isReady && <MoveNotices />}
        {isSuspended && (
          <div class="banner">
            <Notice tone="warn">{text.suspended}</Notice>
          </div>
        )}
        {isReady && areWordsUnconfirmed && route.page !== 'account' && <WordsReminder />}
        {isReady && route.page !== 'storage' && <QuotaBanner />}
        {isReady && <InboxBanner />}
        {isReady && <TakenCard />}
        {isReady && <WorkBar />}
        {isReady ? <PageOf route={route} session={session} /> : !hasMoved && <p role="status">{text.opening}</p>}
      </main>
    </div>
  )
}

function Header({ session, isConnected, onSkip }: ShellProps & { readonly onSkip: () => void }) {
  const text = useText(ownerTexts)
  const signOut = useSignOut(session)
  return (
    <header class="top no-print">
      {/* A button, because the fragment names the page: a link could not name the content too. */}
      <button type="button" class="button primary skip" onClick={onSkip}>
        {text.skip}
      </button>
      <a class="brand" href="#/inbox">
        <Mark />
        <span>Blindkeep</span>
      </a>
      <p
        class={`live-state small ${isConnected ? 'on' : ''}`}
        title={isConnected ? text.liveLong : text.connectingLong}
      >
        <span class="dot" aria-hidden="true" />
        <span>{isConnected ? text.live : text.connecting}</span>
      </p>
      <LanguageSelect label={text.language} />
      <Button kind="quiet" onClick={signOut.begin}>
        {text.signOut}
      </Button>
      <SignOutQuestion signOut={signOut} />
    </header>
  )
}

/** A page of this machine cannot change them: it sends no password. */
function WordsReminder() {
  const text = useText(ownerTexts).wordsReminder
  if (isLocalPage) return null
  return (
    <div class="banner no-print">
      <Notice tone="warn">
        <p>
          {text.unconfirmed} <a href="#/account">{text.open}</a>
        </p>
      </Notice>
    </div>
  )
}

function PageOf({
  route: { page, rest },
  session,
}: {
  readonly route: Route
  readonly session: PageSession
}): JSX.Element {
  switch (page) {
    case 'inbox':
      return <InboxPage />
    case 'links':
      return <LinksPage />
    case 'albums':
      return <AlbumsPage rest={rest} />
    case 'shares':
      return <SharesPage rest={rest} />
    case 'storage':
      return <StoragePage />
    case 'account':
      return <AccountPage session={session} />
    case 'bin':
      return <BinPage />
  }
}

/** Focuses the heading of an opened page. After a sign-in the page comes later than its frame. */
function useHeadingFocus(main: { readonly current: HTMLElement | null }, path: string, isReady: boolean): void {
  const first = useRef<string>(undefined)
  useEffect(() => {
    if (isFirstView()) first.current = path
    if (first.current === path) return
    first.current = undefined
    const heading = main.current?.querySelector('h1')
    if (heading?.getAttribute('tabindex') === null) heading.tabIndex = -1
    const target = heading ?? main.current
    target?.focus({ preventScroll: true })
    scrollTo(0, 0)
  }, [path, isReady])
}
