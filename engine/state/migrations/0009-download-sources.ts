/** Where a download gets its read token from, as a union: until here there were links only (engine/transfer/record.ts). */
export const version = 9;

export const sql = `
  UPDATE transfers SET request = json_set(
    json_remove(request, '$.linkId', '$.shownUrl'),
    '$.source', json_object('kind', 'link', 'linkId', request ->> '$.linkId', 'shownUrl', request ->> '$.shownUrl'))
  WHERE kind = 'download' AND json_valid(request) AND request ->> '$.linkId' IS NOT NULL;
`;
