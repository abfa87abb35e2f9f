import type { AccountFacts } from '@blindkeep/client/owner'
import { useState } from 'preact/hooks'
import { isLocalPage } from '../../common/address/localPage.ts'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { useLoaded } from '../../common/work/useLoaded.ts'
import { localTexts } from '../../local/texts.ts'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { accountTexts, ownerTexts } from '../ground/texts.ts'
import type { PageSession } from '../session/session.ts'
import { ChangePassword } from './changePassword.tsx'
import { DeleteAccount } from './deleteAccount.tsx'
import { DevicesSection } from './devicesSection.tsx'
import { NamesSection } from './namesSection.tsx'
import { NotifySection } from './notifySection.tsx'
import { PasskeysSection } from './passkeysSection.tsx'
import { RecoverySection } from './recoverySection.tsx'
import { SecondFactor } from './secondFactor.tsx'
import { Section } from './section.tsx'
import { SessionsSection } from './sessionsSection.tsx'
import { TakeSection } from './takeSection.tsx'
import { ThumbnailsSection } from './thumbnailsSection.tsx'
import './account.css'

interface AccountPageProps {
  readonly session: PageSession
}

export function AccountPage({ session }: AccountPageProps) {
  const { owner } = useOwnerPages()
  const text = useText(accountTexts).page
  const ownerText = useText(ownerTexts)
  const account = useLoaded(() => owner.account())
  return (
    <div class="stack account">
      <h1 tabIndex={-1}>{text.title}</h1>
      {account.error !== undefined && <ErrorNotice error={account.error} onRetry={account.reload} />}
      {account.value === undefined ? (
        account.isLoading && <p role="status">{ownerText.opening}</p>
      ) : (
        <AccountSections account={account.value} reload={account.reload} session={session} />
      )}
    </div>
  )
}

interface AccountSectionsProps extends AccountPageProps {
  readonly account: AccountFacts
  readonly reload: () => void
}

function AccountSections({ account, reload, session }: AccountSectionsProps) {
  const text = useText(accountTexts)
  const format = useText(formats)
  const { email, createdAt, isSuspended, hasSecondFactor } = account
  // A new password, a revoked key and a removed passkey end sign-ins, which the list of sign-ins still shows until it
  // is loaded again.
  const [endings, setEndings] = useState(0)
  const countEnding = () => setEndings((count) => count + 1)
  return (
    <>
      <Section title={email} state={isSuspended ? <span class="badge warn">{text.page.suspended}</span> : undefined}>
        <p class="soft">{text.page.since(format.instant(createdAt))}</p>
      </Section>
      {isLocalPage ? (
        <LeftToServersPages />
      ) : (
        <>
          <ChangePassword email={email} asksCode={hasSecondFactor} onEnded={countEnding} />
          <PasskeysSection asksCode={hasSecondFactor} onEnded={countEnding} />
          <SecondFactor email={email} isOn={hasSecondFactor} reload={reload} />
          <RecoverySection account={account} reload={reload} />
        </>
      )}
      <NotifySection />
      {!isLocalPage && <TakeSection />}
      <ThumbnailsSection />
      {!isLocalPage && <NamesSection />}
      <SessionsSection session={session} endings={endings} />
      <DevicesSection session={session} onEnded={countEnding} />
      {!isLocalPage && <DeleteAccount email={email} asksCode={hasSecondFactor} session={session} />}
    </>
  )
}

/** What asks for the password is not on a page of this machine: any program here could show one that looks the same. */
function LeftToServersPages() {
  const text = useText(localTexts).account
  return (
    <Section title={text.title}>
      <p class="soft">{text.explain}</p>
    </Section>
  )
}
