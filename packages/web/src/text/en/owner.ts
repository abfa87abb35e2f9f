export const owner = {
  title: 'Blindkeep',
  titleWithCount: (count: number) => `(${count}) Blindkeep`,
  skip: 'Skip to the content',
  navigation: 'Pages',
  pages: {
    inbox: 'Inbox',
    links: 'Links',
    albums: 'Albums',
    shares: 'Shares',
    storage: 'Storage',
    account: 'Account',
  },
  inboxWaiting: (count: number) => (count === 1 ? '1 file waits' : `${count} files wait`),
  language: 'Language',
  signOut: 'Sign out',
  live: 'Live',
  liveLong: 'What changes shows by itself.',
  connecting: 'Connecting…',
  connectingLong: 'The connection is down. What changes shows as soon as it is back.',
  messages: 'Messages',
  dismiss: 'Dismiss',
  opening: 'Opening Blindkeep…',
  suspended:
    'This account is suspended. You can look at everything, save it and remove it; nothing can be added, and your links take no files. Ask whoever runs this server.',
  busy: {
    title: 'Something is still under way',
    explain: 'Files are being sent or saved. Signing out stops that.',
    leave: 'Sign out now',
    stay: 'Stay here',
  },
  elsewhere: {
    title: 'Blindkeep is open in another tab',
    movedTitle: 'Blindkeep moved to another tab',
    explain: 'One tab at a time holds the key to your files. Use it here, and the other tab steps back.',
    use: 'Use it here',
    close: 'Or close this tab, and go on in the other one.',
  },
  insecure: {
    title: 'This address is not safe',
    explain:
      'Blindkeep seals files in your browser, and browsers allow that only over https. Open the address with https, or ask whoever runs this server to set it up.',
  },
}
