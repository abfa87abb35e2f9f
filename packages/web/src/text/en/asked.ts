export const asked = {
  heading: 'Questions',
  whose:
    'These are words of the person who made this link. Do not enter passwords. Your answers are encrypted like your files, and sent with each of them.',
  optional: '(optional)',
  choose: 'Choose an answer',
  faults: {
    missing: 'Please answer this. Nothing is sent before.',
    too_long: (most: string) => `Use at most ${most} characters.`,
    not_a_choice: 'Choose one of the answers.',
    not_a_date: 'Enter a whole date with day, month and year.',
    not_a_number: 'Enter a number in digits without separators of thousands, as in 1250.50.',
    two_ways:
      'This could mean thousands or decimals. Write thousands without a separator, as in 1250, or decimals with one more 0, as in 1.2500.',
    too_much: 'All answers together are too long. Shorten this one.',
  },
}
