// The daemon's read-only JSON. Paths are relative: behind a proxy the page may be anywhere.

const TIMEOUT_MS = 5000;

// The daemon did not answer (status 0), or not as asked.
export class NoAnswer extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

async function get(path) {
  try {
    const response = await fetch(path, {cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT_MS)});
    return {response, text: await response.text()};
  } catch {
    throw new NoAnswer(0, 'The daemon does not answer.');
  }
}

async function getJson(path) {
  const {response, text} = await get(path);
  try {
    if (response.ok) return JSON.parse(text);
  } catch {
    // Whoever answered, it was no oxpoold.
  }
  throw new NoAnswer(response.status, `The answer to ${path} was ${response.status}: ${text.slice(0, 200).trim()}`);
}

export const getPools = () => getJson('api/v1/pools');
export const getServer = () => getJson('api/v1/server');
export const getEvents = (since) => getJson(`api/v1/events?since=${since}`);

// null: there is none of that id any more.
export async function getPool(id) {
  try {
    return await getJson(`api/v1/pool?id=${id}`);
  } catch (error) {
    if (error instanceof NoAnswer && error.status === 404) return null;
    throw error;
  }
}

// Sentences; none = ready.
export async function getReasonsNotReady() {
  const {response, text} = await get('readyz');
  return response.ok ? [] : text.split('\n').filter((line) => line !== '');
}
