-- +goose Up
-- Lists of orphans go by age over all that a reader sees.
DROP INDEX orphans_list;
DROP INDEX orphans_open;
CREATE INDEX orphans_list ON orphans (found_at, id);
CREATE INDEX orphans_open ON orphans (found_at, id) WHERE settled_at = 0;
