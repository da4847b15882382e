/**
 * What the history is searched by: texts of transfers (name, recipients, Portal) in lower case, and names of files by
 * the three letters at each of their places, so that a part of a name among a million is found in milliseconds. Names of
 * earlier files are added by housekeeping (engine/state/search.ts).
 */
export const version = 15;

export const sql = `
  ALTER TABLE transfers ADD COLUMN searched TEXT NOT NULL DEFAULT '';
  UPDATE transfers SET searched = folded(
    name || char(10) || CASE WHEN json_valid(request) THEN
      coalesce((SELECT group_concat(value, char(10)) FROM json_each(request, '$.recipients')), '') || char(10) ||
      coalesce(request ->> '$.portal.name', '')
    ELSE '' END);
  CREATE INDEX transfers_searched ON transfers (created_at, id, searched) WHERE removed = 0;

  -- It holds no names, only where which letters are.
  CREATE VIRTUAL TABLE file_names USING fts5 (name, content = '', contentless_delete = 1, tokenize = 'trigram remove_diacritics 1');
  CREATE TRIGGER files_named AFTER INSERT ON files BEGIN
    INSERT OR REPLACE INTO file_names (rowid, name) VALUES (new.id, new.name);
  END;
  CREATE TRIGGER files_unnamed AFTER DELETE ON files BEGIN
    DELETE FROM file_names WHERE rowid = old.id;
  END;
  -- Files with a lower id are not in it yet.
  INSERT INTO settings (name, value) SELECT 'file-names-from', max(id) + 1 FROM files HAVING max(id) IS NOT NULL;
`;
