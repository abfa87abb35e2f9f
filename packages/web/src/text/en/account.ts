import { MIN_PASSWORD_CHARACTERS } from '@blindkeep/client/passwordStrength'
import { files, number, plural } from './counts.ts'
import { operator } from './operator.ts'

export const account = {
  operator,
  promise: {
    title: 'Files that only you can open',
    link: 'Give people a link, and they send you files. They need no account.',
    sealed: 'Every file is encrypted before it leaves their browser. The server cannot read it.',
    proof: 'The server signs a receipt for each encrypted file, so that it cannot deny having had those bytes.',
  },
  email: 'E-mail',
  password: 'Password',
  newPassword: 'New password',
  repeatPassword: 'Repeat the password',
  show: (what: string) => `Show: ${what}`,
  stay: 'Stay signed in on this device',
  stayHint: 'Only for a device that you alone use: anyone who opens this browser can then open your files.',
  working: 'Computing your key from the password. This takes a second or two.',
  stayRefused: 'This browser stores nothing, so you have to sign in again after a reload.',
  tieRefused: (why: string) => `This sign-in is tied to no key, so revoking a key does not end it. ${why}`,
  required: 'Fill this in.',
  emailFault: 'This is not an e-mail address. It can have the letters a to z, digits and common signs.',
  repeatFault: 'The two passwords are different.',
  strength: {
    short: (missing: number) =>
      `At least ${number(missing)} more ${plural(missing, 'character is', 'characters are')} needed.`,
    weak: 'Easy to guess. Add words that have nothing to do with each other.',
    fair: 'Fair. Longer is better: use four or five random words.',
    good: 'Good.',
    hint: `At least ${MIN_PASSWORD_CHARACTERS} characters. The password never leaves this browser, so it cannot be looked up or reset for you.`,
    label: 'Strength of the password',
  },
  thumbnails: {
    title: 'Thumbnails',
    isOn: 'When files are kept',
    explain:
      'A file from your inbox that you have not looked at has no picture in its album. This browser can draw one of every photo, PDF and film as you keep or upload it. Without this, nothing is drawn until you ask for it: with “Show preview”, or for a whole album with “Make thumbnails”.',
    sandbox:
      'Each file is downloaded once more and drawn in an isolated frame without network and storage. The thumbnail is encrypted like the file. This counts for this browser alone.',
    start: 'Make thumbnails when files are kept',
    stop: 'Turn off',
    refused: 'This browser stores nothing, so it cannot remember this.',
  },
  signIn: {
    title: 'Sign in',
    submit: 'Sign in',
    passkey: 'Sign in with a passkey',
    register: 'Create an account',
    recover: 'Lost your password?',
    reasons: {
      ended:
        'You were signed out: the session expired, or it was ended on another device. Sign in to continue where you were.',
      signed_out: 'You are signed out. This browser has removed everything that could open your account.',
      signed_out_locally:
        'You are signed out here, but the server could not be reached. You can end this session under Account when you sign in again.',
      key_left:
        'You are signed out of this page, but this browser could not delete what opens your account. If other people use this browser, delete the data of this site in its settings.',
      reloaded: 'This page keeps your key only while it is open. Sign in again after a reload.',
      deleted: 'Your account was deleted. Thank you for using Blindkeep.',
      deletion_unsure:
        'The server’s answer was lost. Your account was probably deleted: if you can no longer sign in, it was.',
      key_revoked:
        'The key of this browser was revoked, so this browser is signed out. Files that it has signed are marked, and open after a question. When you sign in again, this browser gets a new key.',
      revocation_unsure:
        'You are signed out, and the server’s answer was lost. The key of this browser was probably revoked: sign in again and look under Account, at “Signing keys”.',
    },
  },
  secondStep: {
    title: 'Second step',
    explain: 'Enter the six digits that your authenticator app shows for Blindkeep.',
    code: 'Code',
    backupExplain: 'Enter one of the ten backup codes that you got when you set up the second step. Each works once.',
    backupCode: 'Backup code',
    useBackup: 'Use a backup code',
    useApp: 'Use the authenticator app',
    submit: 'Continue',
    back: 'Start again',
    over: 'This sign-in took too long, or there were too many wrong codes. Sign in again.',
  },
  register: {
    title: 'Create an account',
    submit: 'Create account',
    signIn: 'I have an account',
    invite: 'Invite code',
    inviteHint: 'This server needs an invite for a new account. Ask its operator for one.',
    inviteFromLink: 'The code is from the link that you opened.',
    inviteWrong: 'This invite is not valid or has already been used.',
    exposed: {
      title: 'Servers have seen this invite',
      more: 'A program that passed its link on, such as a mail filter, changed it. So the invite went to servers that should not have it, and they can register with it too. It works once: register now. If it is refused, ask for a new one.',
    },
    lost: 'The server’s answer was lost. Try again with the same e-mail and password. If the account already exists, you continue with it.',
    checking: 'Your account was created. Checking your recovery words with the server…',
    checkFailed:
      'Your account was created, but your recovery words could not be checked yet. Keep this page open: the words are stored nowhere else.',
    withoutWords: 'Continue without recovery words',
    withoutWordsHint:
      'If you then lose your password, your files are lost. You can make new words later, under Account.',
  },
  words: {
    title: 'Your 24 recovery words',
    explain:
      'If you lose your password, these words are the only way back. Without the password and the words, your files cannot be opened, not even by you or the operator of this server.',
    keep: 'Write them down in this order and keep them with your important papers. They are shown only now: close this page only when you have them.',
    list: 'Recovery words, in order',
    next: 'I have written them down',
    confirmTitle: 'Check your notes',
    confirmExplain: 'Enter three of the words that you wrote down.',
    word: (place: number) => `Word ${place}`,
    wrong: (place: number) => `This is not word ${place}. Look at your notes.`,
    again: 'Show the words again',
    finish: 'Finish',
    fileName: 'blindkeep-recovery-words.txt',
    fileTitle: 'Blindkeep recovery words',
    done: 'Your account is ready.',
  },
  secret: {
    copy: 'Copy',
    copied: 'Copied',
    copyFailed: 'The browser does not allow copying. Download this as text, or write it down.',
    print: 'Print',
    save: 'Download as text',
    of: (email: string) => `For ${email}`,
    at: (address: string) => `At ${address}`,
  },
  recover: {
    title: 'Use your recovery words',
    explain:
      'Enter the 24 words, the newest if you have made new ones since you created the account, and choose a new password. Passkeys are removed: you can add them again.',
    words: 'Recovery words',
    wordsHint: (count: number) =>
      `${number(count)} of 24 words. Capitals, spaces, line breaks and numbers do not matter.`,
    submit: 'Set new password',
    back: 'Back to sign-in',
    done: 'Your password was changed. You are signed out everywhere else, and passkeys were removed. Your recovery words stay the same.',
    left: 'The new password is valid only if a code was accepted: try it. If it is not, your former one still is. The recovery words stay valid.',
  },
  page: {
    title: 'Account',
    since: (when: string) => `Created on ${when}`,
    suspended: 'Suspended',
    cancel: 'Cancel',
    close: 'Close',
    presentPassword: 'Current password',
  },
  changePassword: {
    title: 'Password',
    explain:
      'Changing it signs you out everywhere else. Your files, your passkeys and your recovery words stay the same.',
    open: 'Change password',
    submit: 'Change password',
    done: 'Your password was changed. You are signed out everywhere else.',
    doneWithPasskeys: (count: number) =>
      `Your password was changed. You are signed out everywhere else. ${number(count)} ${plural(count, 'passkey still signs', 'passkeys still sign')} in: remove any that you do not know.`,
    unsure:
      'The server’s answer was lost, so the password may have changed. Sign in with the new password to find out.',
  },
  passkeys: {
    title: 'Passkeys',
    explain:
      'A passkey signs you in with your fingerprint, your face, a PIN or a security key: no password and no code. It also opens your files, and the server still cannot. Your password stays valid.',
    none: 'None yet.',
    open: 'Add a passkey…',
    askPassword: 'Enter your password first: the passkey will open everything without it.',
    askBoth: 'Enter your password and a code first: the passkey will open everything without them.',
    next: 'Continue',
    makeExplain: 'Your browser now asks where to keep the passkey, and checks that it is you. It may ask twice.',
    make: 'Create passkey',
    made: 'The passkey was created. Save it to your account.',
    codeAgain: 'The passkey was created. Saving it needs another code, as the first one was not accepted.',
    codeNeeded: 'The passkey was created. Saving it also needs a code, as the second step is on.',
    nameHint: 'So that you recognise it in this list. Only you can read it.',
    added: 'The passkey was added. You can use it the next time you sign in.',
    unnamed: 'Passkey without a name',
    addedOn: (when: string) => `Added on ${when}`,
    lastUsed: (when: string) => `last used ${when}`,
    neverUsed: 'never used',
    rename: 'Name of this passkey',
    remove: 'Remove',
    removed: 'The passkey was removed.',
    ask: {
      title: 'Remove this passkey?',
      items: [
        'It no longer signs in. You still have your password.',
        'Browsers that it has signed in are signed out, except this one.',
        'Your device may still offer it. Delete it there, too.',
      ],
    },
    obstacles: {
      unsupported: 'This browser has no passkeys.',
      ip_address:
        'Passkeys do not work at this address: browsers allow them for names only, not for numbers such as 127.0.0.1.',
      prf_unsupported: 'This browser has passkeys, but none that can open files. Use a newer browser to add one.',
    },
  },
  factor: {
    title: 'Second step at sign-in',
    off: 'Off',
    on: 'On',
    explainOff:
      'A person who learns your password then still needs a code from your phone. Your files are encrypted in any case.',
    explainOn:
      'Signing in with your password asks for a code from your authenticator app, or for a backup code. A passkey needs no code.',
    enroll: 'Set up',
    disable: 'Turn off',
    askPassword: 'Enter your password first, so that another person at your screen cannot set this up.',
    next: 'Continue',
    scan: 'Scan this with an authenticator app on your phone (such as Aegis, 2FAS or Google Authenticator).',
    qr: 'QR code for the authenticator app',
    manual: 'Or enter this key in the app:',
    code: 'Code that the app shows now',
    confirm: 'Turn on',
    backupTitle: 'Your ten backup codes',
    backupExplain:
      'If you lose your phone, each code replaces the app once. They are shown only now. Without phone and codes, only the operator of this server can help.',
    backupList: 'Backup codes',
    backupFile: 'blindkeep-backup-codes.txt',
    backupFileTitle: 'Blindkeep backup codes, each works once',
    backupDone: 'I have saved them',
    codesSaved: 'The second step is on, and these backup codes are the valid ones.',
    renew: 'New backup codes',
    renewExplain:
      'You get ten new codes, and all former ones become worthless. This needs your password and a code. If an answer is lost, do it again with another code.',
    disabled: 'The second step is off.',
    disableExplain: 'Turning it off needs your password and a code.',
    anyCode: 'Code from the app, or a backup code',
    unsure: 'The server’s answer was lost. If the second step is on, get new backup codes with a code from the app.',
  },
  recovery: {
    title: 'Recovery words',
    explain:
      'The 24 words were shown once and cannot be shown again. If you have lost them, or others have seen them, make new ones.',
    explainNone: 'This account has none: without your password, your files are lost.',
    states: { none: 'None', unconfirmed: 'Not confirmed', confirmed: 'Confirmed' },
    unconfirmed:
      'You have not confirmed these words yet. They are the only ones that work. If you have them on paper, check them. If not, make new ones.',
    open: 'Check my words',
    renew: 'Make new words',
    renewExplain: 'With the new words, the words that you have now stop working at once, everywhere.',
    renewedExplain: 'These words are valid now, and your former ones no longer are: destroy them.',
    renewed: 'Your new recovery words are confirmed.',
    checking: 'Checking the new words with the server…',
    unsure:
      'It is not certain yet whether the new words or the former ones are valid. Keep this page open until it is: the new ones are stored nowhere else.',
    notStored:
      'These new words are not valid. Your former words still are, or those that you have made meanwhile in another window.',
    checkExplain: 'Enter the words from your notes. You see whether they still open your account.',
    submit: 'Check',
    good: 'These words open your account. Keep them safe.',
  },
  notify: {
    title: 'Messages about new files',
    explain:
      'This server can send you a message when files arrive. It says how many and when, and nothing about the files: the server cannot read them.',
    notOffered: 'The operator of this server has not switched this on.',
    open: 'Add…',
    kind: 'How',
    kinds: {
      email: {
        name: 'E-mail',
        address: 'Address for messages',
        hint: 'The address first gets a message with a code, which you enter here.',
      },
      ntfy: {
        name: 'ntfy',
        address: 'Address of the topic',
        hint: 'As in https://ntfy.example.org/my-topic. Who knows it can read the messages.',
      },
      webhook: {
        name: 'Webhook',
        address: 'Address of the webhook',
        hint: 'An https address of a program. The messages are signed, and you get the secret for checking them.',
      },
    },
    push: {
      name: 'Browser',
      nameFault: 'The server gives a name that does not belong here. It is not shown.',
      here: 'This browser',
      start: 'Notify this browser',
      explain:
        'Messages arrive even when no page is open. They pass through a service of the browser’s vendor, which sees when a message is sent but cannot read it.',
      started: 'This browser gets messages now. Send a test.',
      lost: 'This browser has lost its subscription, so no messages arrive here. Turn them on again.',
      lostNotice: 'This browser no longer gets messages about new files.',
      lostLink: 'Turn them on again',
      notOffered: 'This server sends no messages to browsers.',
      obstacles: {
        install:
          'On an iPhone or iPad, browsers get messages only for an app on the home screen: share this page, choose “Add to Home Screen”, open Blindkeep there, and return to this section.',
        unsupported:
          'This browser cannot get messages. In a private window, no browser can: open this page in a normal window.',
        denied:
          'This browser does not allow messages from this server. Allow notifications for this page in the settings of the browser, then reload the page. In a private window that may not be possible.',
        dismissed: 'The browser asked you whether to allow messages, and got no answer. Try again.',
        refused:
          'The push service of the browser’s vendor gave this browser no subscription. That happens in a private window, and when the service is turned off. Otherwise, try again later.',
      },
    },
    token: 'Access token',
    tokenHint: 'Only if the topic needs one.',
    submit: 'Add',
    added: 'It was added. Send a test.',
    codeSent: 'A message with the code is on its way.',
    secretExplain:
      'The messages of this webhook are signed with this secret. It is shown here until you say that you have saved it, and never again.',
    secretDone: 'I have saved it',
    states: { unconfirmed: 'Waits for its code', given_up: 'Given up' },
    addedAt: (when: string) => `Added on ${when}.`,
    nothingSent: 'No message yet.',
    lastSent: (when: string) => `Last message on ${when}.`,
    lastFailed: (when: string, why: string) => `Failed on ${when}: ${why}`,
    faults: {
      address_refused: 'The name is unknown, or it leads to an address to which this server does not send.',
      unreachable: 'Nothing answers there.',
      timed_out: 'It took too long.',
      tls_failed: 'The certificate there is not valid.',
      redirected: 'It leads to another address. Add that one.',
      rejected: 'The receiver refuses the message. Check address and token.',
      receiver_failed: 'The receiver has a fault at the moment.',
      no_longer_there: 'The receiver says that nothing is there any more.',
      not_offered: 'The operator has switched this kind off.',
      unconfirmed: 'The address waits for its code.',
    },
    test: 'Send a test',
    noCode:
      'If no message comes, look among unwanted mail, or remove the address and add it again. An address gets few codes a day.',
    tested: 'The test was sent. Check whether it has arrived.',
    testFailed: (why: string) => `The test did not arrive. ${why}`,
    remove: 'Remove',
    removed: 'It was removed.',
    code: 'Code in the message',
    codeFault: 'The code has eight digits.',
    confirm: 'Confirm',
    confirmed: 'The address is confirmed.',
  },
  client: {
    browser: 'A browser',
    on: (browser: string, system: string) => `${browser} on ${system}`,
  },
  rename: {
    button: 'Rename',
    name: 'Name',
    hint: 'Only you can read it. If the field is empty, the name is removed.',
    save: 'Save',
    done: 'The name was saved.',
    fault:
      'The server gives a name that does not belong here: it was altered, or exchanged with another one. It is not shown.',
  },
  sessions: {
    title: 'Where you are signed in',
    explain:
      'All browsers and programs that are signed in to your account. To use another device too, sign in there with the same e-mail and password, or with a passkey: nothing has to be copied from here.',
    here: 'This browser',
    signedIn: (when: string) => `Signed in on ${when}`,
    inUse: 'in use now',
    usedLately: 'used within the last hour',
    lastUsed: (when: string) => `last used ${when}`,
    withKey: (id: string) => `with key ${id}`,
    withoutKey: 'without a key',
    end: 'Sign out',
    endOthers: 'Sign out all others',
    ended: 'It was signed out.',
    othersEnded: 'All others were signed out.',
    rename: 'Name of this sign-in',
    none: 'You are signed in nowhere else.',
  },
  devices: {
    title: 'Signing keys',
    explain:
      'Files that you keep or upload are signed, so that only you can add files to your albums. Each browser or program has its own key for this. The key cannot open files. If you lose a device, revoke its key here: whatever is signed in with the key is signed out.',
    here: 'This browser',
    device: (id: string) => `Key ${id}`,
    added: (when: string) => `Added on ${when}`,
    revokedAt: (when: string) => `Revoked on ${when}`,
    rename: (id: string) => `Name of key ${id}`,
    revoke: 'Revoke',
    revoked: 'The key was revoked. Files that it has signed are marked, and open after a question.',
    ask: {
      title: (id: string) => `Revoke key ${id}?`,
      items: [
        'Browsers and programs that are signed in with this key are signed out at once.',
        'The key can add no more files. Uploads that it has begun stop.',
        'This cannot be undone.',
      ],
      here: 'This is the key of this browser: you are signed out here too. You can sign in again with your password.',
    },
    after: (id: string) => `Key ${id} is revoked`,
    untied: {
      notice: (count: number) =>
        count === 1
          ? '1 other sign-in belongs to no key. It may be on the device whose key you revoked.'
          : `${number(count)} other sign-ins belong to no key. One of them may be on the device whose key you revoked.`,
      end: (count: number) => (count === 1 ? 'Sign it out' : `Sign out these ${number(count)}`),
      ended: (count: number) => (count === 1 ? 'It was signed out.' : `${number(count)} were signed out.`),
    },
    lately: {
      open: 'What it signed last',
      checking: 'Looking for files that this key signed in its last 30 days…',
      stop: 'Stop',
      again: 'Look for files that it signed',
      none: 'The key signed nothing in its last 30 days.',
      found: (count: number) =>
        `The key signed ${files(count)} in its last 30 days. If another person had the device, some may not be yours: look at them.`,
      unverified: (count: number) =>
        `${files(count)} from this time could not be checked, so it is unknown who signed ${count === 1 ? 'it' : 'them'}.`,
      more: (count: number) => `Show more (${number(count)})`,
      signedAt: (when: string) => `Signed on ${when}`,
      arrivedAt: (when: string) => `changed on ${when}`,
    },
    denied: 'Revocation denied',
    deniedExplain:
      'The server lists a revoked key as valid again. This can happen after the operator has restored a backup. For this browser the key stays revoked. Revoke it again. If this notice stays, do not trust this server.',
    foreign: 'Not shown to be yours',
    foreignExplain:
      'Nothing shows that this key was added with the secret of your account, so its signatures are not accepted. If you do not know it, revoke it. If it is yours, the server lies: revoking it would only mark your files.',
    none: 'None yet. The first is created when you keep or upload a file, or stay signed in.',
    old: (count: number) => `${number(count)} revoked ${plural(count, 'key', 'keys')}`,
  },
  leave: {
    title: 'Delete account',
    explain:
      'Permanently deletes everything that you have here: files, albums, links, shares and your inbox. The server deletes the encrypted bytes a day later, unless its operator has set another time; backups keep them until they are replaced.',
    open: 'Delete account…',
    dialogTitle: 'Delete your account?',
    what: 'This happens at once and cannot be undone:',
    items: [
      'All files and albums are deleted, including the files in your inbox.',
      'Your links accept no more files, and your shares stop working.',
      'You are signed out everywhere, and your e-mail address is free again.',
    ],
    retained: (count: number, until: string) =>
      plural(
        count,
        `1 file is protected from deletion until ${until}, and the account with it. It is in this album:`,
        `${files(count)} are protected from deletion, the last one until ${until}, and the account with them. They are in these albums:`,
      ),
    saveFirst:
      'Download first what you need: each album with “Download album”, files in the inbox, and receipts under Storage.',
    confirm: (email: string) => `Enter ${email} to confirm`,
    confirmFault: 'This is not the e-mail address of this account.',
    submit: 'Delete permanently',
    unsure:
      'The server’s answer was lost, so your account may be deleted. If it is, you are signed out here as soon as the server answers again. Otherwise delete it again.',
  },
}
