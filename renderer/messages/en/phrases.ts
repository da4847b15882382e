/** Sentences of the agent without an error code whose numbers are formatted for the reader, as in de/phrases.ts. */
export const phrases: Readonly<Record<string, string>> = {
  'The disk at {path} has too little room: {bytes} more bytes are needed. Free some; work goes on by itself.':
    'The disk at {path} has too little room: {bytes:size} more is needed. Free some; work goes on by itself.',
  'The disk at {path} has too little room: {bytes} more bytes are needed beside the {promised} that other downloads will fill. Free some; work goes on by itself.':
    'The disk at {path} has too little room: {bytes:size} more is needed beside the {promised:size} that other downloads will fill. Free some; work goes on by itself.',
  'It is larger than {limit} bytes.': 'It is larger than {limit:size}.',
  'It waits for "{name}", which is due at {time}.': 'It waits for “{name}”, which is due {time:time}.',
  'Its time window opens at {at}.': 'Its time window opens {at:time}.',
};
